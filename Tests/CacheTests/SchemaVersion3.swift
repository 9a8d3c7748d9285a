@testable import Cache

// The tables as version 3 of the file had them, letter by letter, and how it wrote a row.

enum SchemaVersion3 {
    static let statements: [String] = [
        """
        CREATE TABLE entry (
          -- One stored response a row. All times are unix seconds, all durations seconds, all sizes bytes.
          id INTEGER PRIMARY KEY,               -- in the order of writing: what is new lies together, and so does what is old
          key INTEGER NOT NULL,                 -- the first 64 bits of SHA-256 over scope NUL target NUL variant
          scope TEXT NOT NULL CHECK (scope = 'shared'), -- answers that belong to one user are never written
          target TEXT NOT NULL,                 -- canonical path and query
          variant TEXT NOT NULL,                -- tells apart answers to one target, such as content codings
          selecting TEXT NOT NULL,              -- of a signpost: which request fields tell the answers apart
          storefront TEXT NOT NULL,             -- two letters, or nothing
          class INTEGER NOT NULL,               -- see table class
          status INTEGER NOT NULL,              -- HTTP status code
          received_at INTEGER NOT NULL,         -- when it came or was last confirmed
          initial_age INTEGER NOT NULL,         -- how old it was by then
          fresh_for INTEGER NOT NULL,           -- served without asking until its age reaches this
          stale_for INTEGER NOT NULL,           -- beyond that: served while it is revalidated
          stale_if_error_for INTEGER NOT NULL,  -- beyond that: served where the origin fails
          keep_for INTEGER NOT NULL,            -- beyond that: kept to be confirmed by a 304
          size INTEGER NOT NULL,                -- of target, variant, fields and body
          content_sum INTEGER NOT NULL,         -- the checksum of the rows of content and mention
          checksum INTEGER NOT NULL,            -- over all of the above but size
          last_used INTEGER NOT NULL            -- to a minute, or an hour in a large cache; the least recently used go first
        )
        """,
        """
        CREATE TABLE content (
          id INTEGER PRIMARY KEY,               -- that of the entry
          fields BLOB NOT NULL,                 -- 'Name: value' lines with CR LF, as sent to clients
          body BLOB NOT NULL                    -- as received, content coding included
        )
        """,
        """
        CREATE TABLE mention (
          -- Which resources an entry names, where it names any; small, so that a purge by resource can look through all.
          id INTEGER PRIMARY KEY,               -- that of the entry
          resources BLOB NOT NULL               -- 8 bytes each: FNV-1a over type, FF and id; 8 bytes FF: it may name any
        )
        """,
        """
        CREATE TABLE totals (
          -- One row, kept by triggers, so that opening a large file counts nothing.
          id INTEGER PRIMARY KEY CHECK (id = 1),
          entries INTEGER NOT NULL,
          bytes INTEGER NOT NULL
        )
        """,
        """
        CREATE TABLE class (
          -- What the numbers in entry.class mean; written anew at each start.
          tag INTEGER PRIMARY KEY,
          name TEXT NOT NULL
        )
        """,
        "CREATE UNIQUE INDEX entry_by_key ON entry (key)",
        "CREATE INDEX entry_by_last_used ON entry (last_used)",
        // The others of a target are found by their key alone.
        "CREATE INDEX variant_by_target ON entry (target) WHERE variant <> ''",
        """
        CREATE TRIGGER entry_added AFTER INSERT ON entry BEGIN
          UPDATE totals SET entries = entries + 1, bytes = bytes + NEW.size;
        END
        """,
        """
        CREATE TRIGGER entry_removed AFTER DELETE ON entry BEGIN
          UPDATE totals SET entries = entries - 1, bytes = bytes - OLD.size;
          DELETE FROM content WHERE id = OLD.id;
          DELETE FROM mention WHERE id = OLD.id;
        END
        """,
        """
        CREATE VIEW response AS
          -- For operators: every stored response with its age and what may be done with it now.
          SELECT target, variant, storefront, coalesce(class.name, entry.class) AS class, status,
            datetime(received_at, 'unixepoch') AS received,
            initial_age + max(0, unixepoch() - received_at) AS age,
            CASE
              WHEN initial_age + max(0, unixepoch() - received_at) < fresh_for THEN 'fresh'
              WHEN initial_age + max(0, unixepoch() - received_at) < fresh_for + stale_for THEN 'stale'
              ELSE 'expired'
            END AS freshness,
            fresh_for - initial_age - max(0, unixepoch() - received_at) AS ttl,
            size, datetime(last_used, 'unixepoch') AS used
          FROM entry LEFT JOIN class ON class.tag = entry.class
        """,
    ]

    /// A file of that version with these answers.
    static func make(_ path: String, _ responses: [StoredResponse]) throws {
        let database = try Database(path: path, mode: .readWrite, busyTimeout: .zero)
        try database.execute("PRAGMA auto_vacuum = INCREMENTAL")
        try database.execute("PRAGMA journal_mode = WAL")
        for statement in statements { try database.execute(statement) }
        try database.execute("INSERT INTO totals VALUES (1, 0, 0)")
        try database.execute("PRAGMA application_id = \(Schema.applicationID); PRAGMA user_version = 3")
        for response in responses { try insert(response, database) }
    }

    private static func insert(_ response: StoredResponse, _ database: Database) throws {
        let insert = try Statement(
            database,
            """
            INSERT INTO entry (key, class, status, received_at, initial_age, fresh_for, stale_for, stale_if_error_for,
              keep_for, size, checksum, last_used, scope, target, variant, storefront, selecting, content_sum)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, 'shared', ?13, ?14, ?15, ?16, ?17)
            """)
        let (lifetime, sum) = (response.lifetime, response.olderContentSum)
        try insert.run(
            .integer(SQLiteStore.index(of: response.key)), .integer(Int64(response.classTag)),
            .integer(Int64(response.status)), .integer(response.receivedAt), .integer(Int64(lifetime.initialAge)),
            .integer(Int64(lifetime.freshFor)), .integer(Int64(lifetime.staleFor)),
            .integer(Int64(lifetime.staleIfErrorFor)), .integer(Int64(lifetime.keepFor)),
            .integer(Int64(response.body.count)),
            .integer(Int64(bitPattern: response.checksum(contentSum: sum))), .integer(response.receivedAt),
            .text(response.key.target), .text(response.key.variant), .text(response.storefront[...]),
            .text(response.selecting[...]), .integer(Int64(bitPattern: sum)))
        let id = database.lastInsertedRow
        try Statement(database, "INSERT INTO content VALUES (?1, ?2, ?3)").run(
            .integer(id), .blob(response.fields), .blob(response.body[...]))
        guard !response.resources.isEmpty else { return }
        try Statement(database, "INSERT INTO mention VALUES (?1, ?2)").run(
            .integer(id), .blob(response.resources.withUnsafeBytes { Array($0) }[...]))
    }
}
