import Purging

// The tables. Written for the operator who opens the file with `sqlite3`: SQLite keeps these texts,
// comments included, and `.schema` prints them.
// Must hold: `statements` describe `version` exactly; a file of that version in which one of them
// is missing or differs is not ours. Totals follow `entry` by a trigger, no matter what deletes
// from it.

enum Schema {
    /// Marks the file as this cache's: "Rfrn".
    static let applicationID: Int64 = 0x5266_726E
    /// `PRAGMA user_version`.
    static let version: Int64 = 11
    /// The versions that are taken over: 1.0.0 writes version 10.
    static let readable = version - 1...version
    /// The size of a page in a new file.
    static let pageBytes = 2_048

    /// In the version before.
    private static let oldPurged = """
        CREATE TABLE purged (
          -- What purges chose by target: no answer to it is built of others that are as old as the purge.
          target TEXT PRIMARY KEY,              -- nothing: of any target, for purges that chose several
          at INTEGER NOT NULL
        ) WITHOUT ROWID
        """

    private static let purge = """
        CREATE TABLE purge (
          -- The purges by which answers are judged, in their order: each concerns the answers that were born before it.
          words TEXT NOT NULL,                  -- what it chooses, a condition a line; nothing: everything
          mode TEXT NOT NULL,                   -- hard or soft; forgotten: this one and all before count for any answer;
                                                -- swept: all answers have had their turn for this one and all before
          number INTEGER NOT NULL,
          at INTEGER NOT NULL,                  -- when it was written, in unix seconds; for operators alone
          PRIMARY KEY (words, mode)
        ) WITHOUT ROWID
        """

    private static let floor = """
        CREATE TABLE floor (
          -- Up to when what answers show of a resource or a list is outdated, because a later one contradicted it.
          id INTEGER PRIMARY KEY,               -- in the order in which they were raised
          number TEXT NOT NULL,                 -- of the resource or list in a storefront and language, 16 digits
          at INTEGER NOT NULL,                  -- when the later answer came, in unix seconds; older ones do not count
          origin INTEGER NOT NULL,              -- see table origin
          UNIQUE (number, origin)
        )
        """

    private static let purged = """
        CREATE VIEW purged AS
          -- As version 10 had it: when a target was purged last, or what these conditions choose.
          SELECT iif(words GLOB 'target /*' AND instr(words, char(10)) = 0, substr(words, 8), words) AS target, max(at) AS at
          FROM purge WHERE mode <> 'swept' GROUP BY words
        """

    /// Column `born`, which version 10 lacks.
    private static let born =
        "born INTEGER NOT NULL DEFAULT 0 /* the number of the latest purge (see table purge) when it was fetched */"

    /// Column `origin`, which version 10 lacks; 0 is the home of the file.
    private static let origin = "origin INTEGER NOT NULL DEFAULT 0 /* where it comes from: see table origin */"

    /// Without these columns, as in the version before.
    private static let oldEntry = """
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
          body_size INTEGER NOT NULL,           -- of the body, as it is in its segment
          is_gzip INTEGER NOT NULL,             -- 1: the body is in gzip besides. Who accepts that gets it so, everyone else
                                                -- what gunzip makes of it
          place INTEGER NOT NULL,               -- where fields and body are: see view location; below zero where freshness was
                                                -- taken away since they were written, and this row alone says so
          content_sum INTEGER NOT NULL,         -- the checksum of fields, body and resources
          checksum INTEGER NOT NULL,            -- over all of the above but size, body_size, is_gzip and place
          last_used INTEGER NOT NULL,           -- to a minute, or an hour in a large cache; the least recently used go first
          resources BLOB NOT NULL               -- which it names, 8 bytes each: FNV-1a over type, FF and id; 8 bytes FF: it
                                                -- may name any
        )
        """

    /// The statements that tell origins apart.
    private static let ofOrigins: [String] = [
        """
        CREATE TABLE origin (
          -- Where answers come from: what upstream said. None is ever removed.
          number INTEGER PRIMARY KEY,           -- as in entry.origin; 0: the upstream with which the file began
          name TEXT NOT NULL,                   -- scheme, host, and the port unless it is the scheme's own
          entries INTEGER NOT NULL              -- its rows of entry
        )
        """,
        """
        CREATE TABLE rest (
          -- Forms of request in which no answers are built, because one that was built was not what the origin said.
          target TEXT NOT NULL,                 -- of one request of the form
          until INTEGER NOT NULL,
          origin INTEGER NOT NULL,              -- see table origin
          PRIMARY KEY (target, origin)
        ) WITHOUT ROWID
        """,
        """
        CREATE TRIGGER entry_removed AFTER DELETE ON entry BEGIN
          UPDATE totals SET entries = entries - 1, bytes = bytes - OLD.size;
          UPDATE origin SET entries = entries - 1 WHERE number = OLD.origin;
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
            size, datetime(last_used, 'unixepoch') AS used, origin.name AS origin
          FROM entry LEFT JOIN class ON class.tag = entry.class LEFT JOIN origin ON origin.number = entry.origin
        """,
    ]

    /// The statements that versions without origins have in place of `ofOrigins`.
    private static let withoutOrigins: [String] = [
        """
        CREATE TABLE rest (
          -- Forms of request in which no answers are built, because one that was built was not what the origin said.
          target TEXT PRIMARY KEY,              -- of one request of the form
          until INTEGER NOT NULL
        ) WITHOUT ROWID
        """,
        """
        CREATE TRIGGER entry_removed AFTER DELETE ON entry BEGIN
          UPDATE totals SET entries = entries - 1, bytes = bytes - OLD.size;
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

    /// The statements that all versions have in common.
    private static let unchanged: [String] = [
        """
        CREATE TABLE totals (
          -- One row, so that opening a large file counts nothing. What is deleted is taken off by a trigger.
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
        // With the place, so that reading all keys reads no row.
        "CREATE UNIQUE INDEX entry_by_key ON entry (key, place)",
        "CREATE INDEX entry_by_last_used ON entry (last_used)",
        // The others of a target are found by their key alone.
        "CREATE INDEX variant_by_target ON entry (target) WHERE variant <> ''",
        """
        CREATE VIEW location AS
          -- For operators: where each body is, in the folder that is named as this file with .segments behind.
          SELECT id, target, variant, printf('%06d', abs(place) >> 39) AS segment,
            (abs(place) >> 15 & 16777215) * 64 + 32 AS body_at, body_size, is_gzip
          FROM entry
        """,
        """
        CREATE TABLE fact (
          -- What the process keeps beside the answers that must agree with them.
          name TEXT PRIMARY KEY,                -- purge_log: up to where purges that nodes share are applied to this file
          value TEXT NOT NULL
        ) WITHOUT ROWID
        """,
    ]

    /// The text of `entry` is the one that SQLite makes of the old one when it adds the columns.
    static let statements =
        [String(oldEntry.dropLast()) + ", \(born), \(origin))"] + unchanged + ofOrigins + [purge, floor, purged]
    /// The statements of the version before.
    static let oldStatements = [oldEntry] + unchanged + withoutOrigins + [oldPurged]

    /// The kind of an open file.
    enum Verdict: Equatable {
        case current
        /// Nothing in it: a file just made.
        case empty
        /// A file of the version before: `upgrade` makes it a current one.
        case previous
        /// It has not the mark of a cache file.
        case unmarked
        /// A file that cannot be used; the words say why.
        case unusable(String)
    }

    /// Looks at the marks and the tables of an open file.
    static func examine(_ database: Database) throws(SQLiteError) -> Verdict {
        let objects = try database.integer("SELECT count(*) FROM sqlite_schema")
        let found = try database.integer("PRAGMA user_version")
        let mark = try database.integer("PRAGMA application_id")
        if objects == 0, found == 0, mark == 0 { return .empty }
        guard mark == applicationID else { return .unmarked }
        guard readable.contains(found) else {
            return .unusable("its version \(found) is \(found > version ? "newer" : "older") than \(version)")
        }
        let isCurrent = found == version
        guard try has(isCurrent ? statements : oldStatements, database) else {
            return .unusable("its tables do not have the expected schema")
        }
        return isCurrent ? .current : .previous
    }

    /// Makes the tables of a new file, and the marks with them.
    static func create(_ database: Database, of home: Origin) throws(SQLiteError) {
        try database.transaction { () throws(SQLiteError) in
            for statement in statements { try database.execute(statement) }
            try database.execute("INSERT INTO totals VALUES (1, 0, 0)")
            try begin(database, at: home)
            try database.execute("PRAGMA application_id = \(applicationID)")
            try database.execute("PRAGMA user_version = \(version)")
        }
    }

    /// Makes a file of the version before a current one. All of its answers count as those of the
    /// present upstream.
    static func upgrade(_ database: Database, of home: Origin) throws(SQLiteError) {
        try database.transaction { () throws(SQLiteError) in
            try numberPurges(database)
            try database.execute(floor)
            try database.execute("ALTER TABLE entry ADD COLUMN \(origin)")
            try database.execute("DROP TRIGGER entry_removed; DROP VIEW response; ALTER TABLE rest RENAME TO old_rest")
            for statement in ofOrigins { try database.execute(statement) }
            try database.execute("INSERT INTO rest SELECT target, until, 0 FROM old_rest; DROP TABLE old_rest")
            try begin(database, at: home)
            try database.execute("PRAGMA user_version = \(version)")
        }
    }

    /// Says that all rows which are there are of home. Without a row in `totals` they are counted
    /// later.
    private static func begin(_ database: Database, at home: Origin) throws(SQLiteError) {
        let insert = try Statement(
            database, "INSERT INTO origin VALUES (0, ?1, coalesce((SELECT entries FROM totals), 0))")
        try insert.run(.text(Array(home.name.utf8)[...]))
    }

    /// The times of purges become numbers.
    private static func numberPurges(_ database: Database) throws(SQLiteError) {
        let purges = try oldPurges(in: database)
        try database.execute("ALTER TABLE entry ADD COLUMN \(born)")
        try database.execute("DROP TABLE purged")
        try database.execute(purge)
        try database.execute(purged)
        let insert = try Statement(database, "INSERT OR REPLACE INTO purge VALUES (?1, ?2, ?3, ?4)")
        for (number, mode, words, time) in purges {
            try insert.run(.text(words[...]), .text(Array(mode.utf8)[...]), .integer(number), .integer(time))
        }
    }

    private typealias Purge = (number: Int64, mode: String, words: [UInt8], time: Int64)

    /// The purges of a file of the version before, as this one has them. One that is not understood
    /// may have chosen any answer: with it all before are forgotten.
    private static func oldPurges(in database: Database) throws(SQLiteError) -> [Purge] {
        var purges: [Purge] = []
        var number: Int64 = 0
        try Statement(database, "SELECT target, at FROM purged ORDER BY at, target").forEachRow([]) { row in
            number += 1
            let (target, time) = (row.bytes(0), row.integer(1))
            let selection =
                target.first == UInt8(ascii: "/")
                ? EntrySelection([.target(target)]) : target.isEmpty ? nil : EntrySelection(words: target)
            if let selection {
                purges.append((number, "hard", selection.words, time))
            } else {
                purges = [(number, "forgotten", [], time)]
            }
            return true
        }
        // Each has been through the whole file.
        return purges + (purges.last.map { [($0.number, "swept", [], $0.time)] } ?? [])
    }

    private static func has(_ expected: [String], _ database: Database) throws(SQLiteError) -> Bool {
        var missing = Set(expected)
        try Statement(database, "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL").forEachRow([]) { row in
            missing.remove(row.text(0))
            return true
        }
        return missing.isEmpty
    }
}
