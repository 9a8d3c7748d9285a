import Foundation
import TestSupport

/// A library between the program and the kernel (LD_PRELOAD).
///
/// It fails chosen calls on the cache file, or writes down the bytes that would reach the disk. It
/// is compiled once a run, of the C below. It makes system calls itself, and so needs none of the C
/// library's functions that it replaces.
struct FaultyCalls {
    /// The calls that can be failed, as the library names them.
    static let names = ["pread64", "pwrite64", "fdatasync", "openat", "ftruncate", "mmap"]

    private let library: String

    private static let compiler = ["clang", "cc", "gcc"].lazy.compactMap { Tool($0) }.first

    static let requirement = Requirement("no C compiler (apt-get install clang): no system call was failed") {
        compiler != nil
    }

    /// - Parameter folder: where the library goes.
    init(in folder: TemporaryFolder) throws {
        library = folder.file("faulty.so")
        let source = try folder.put(Self.source.utf8, "faulty.c")
        guard let compiler = Self.compiler else { throw ServedProgram.Failure(description: "no C compiler") }
        let outcome = try compiler.run(["-shared", "-fPIC", "-O1", "-o", library, source])
        guard outcome.status == 0 else { throw ServedProgram.Failure(description: outcome.text) }
    }

    /// Fails `count` calls from the `first` one on (from 1); each writes a byte to `report`.
    func failing(
        _ call: String, on file: String, from first: Int, count: Int, error: CInt, report: String
    ) -> [String] {
        runner([
            "FAULT_FILE": file, "FAULT_CALL": call, "FAULT_FROM": "\(first)", "FAULT_COUNT": "\(count)",
            "FAULT_ERRNO": "\(error)", "FAULT_REPORT": report,
        ])
    }

    /// Fails every read (EIO) of these bytes of the file that is at `path` now, wherever its name
    /// goes; each writes a byte to `report`.
    func unreadable(_ path: String, _ bytes: Range<Int>, report: String) -> [String] {
        runner([
            "FAULT_SECTOR_OF": path, "FAULT_SECTOR": "\(bytes.lowerBound) \(bytes.upperBound)", "FAULT_REPORT": report,
        ])
    }

    /// Lets the program see that wall clock.
    func seeing(_ clock: WallClock) -> [String] { runner(["FAULT_CLOCK": clock.file]) }

    /// Writes down the writes to `file` and its journals, and their synchronisation (`DiskTrace`).
    func recording(_ file: String, to trace: String) -> [String] {
        runner(["FAULT_FILE": file, "FAULT_TRACE": trace])
    }

    private func runner(_ environment: [String: String]) -> [String] {
        ["/usr/bin/env", "LD_PRELOAD=\(library)"] + environment.map { "\($0.key)=\($0.value)" }
    }

    private static let source = #"""
        #define _GNU_SOURCE
        #include <errno.h>
        #include <fcntl.h>
        #include <pthread.h>
        #include <stdarg.h>
        #include <stdint.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #include <sys/mman.h>
        #include <sys/stat.h>
        #include <sys/syscall.h>
        #include <sys/time.h>
        #include <time.h>
        #include <unistd.h>

        enum { FILES = 1 << 20 };
        /* Which file a descriptor is of: 1 the database, 2 the log, 3 the journal, 4 another, from 16 on a segment. */
        static unsigned short kinds[FILES];
        static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
        static const char *file, *call_name;
        static long calls, from, count;
        static int error, report = -1, trace = -1;
        /* The file with bytes that cannot be read, by its number: a file that takes its name is another one. */
        static ino_t bad_file;
        static long long bad_from, bad_to;
        static unsigned char is_bad[FILES];
        /* By so many seconds the wall clock is ahead. */
        static volatile long long *ahead;

        __attribute__((constructor)) static void begin(void) {
            file = getenv("FAULT_FILE");
            call_name = getenv("FAULT_CALL");
            if (call_name) {
                from = atol(getenv("FAULT_FROM"));
                count = atol(getenv("FAULT_COUNT"));
                error = atoi(getenv("FAULT_ERRNO"));
            }
            int clock = getenv("FAULT_CLOCK") ? syscall(SYS_openat, AT_FDCWD, getenv("FAULT_CLOCK"), O_RDONLY) : -1;
            if (clock >= 0) {
                ahead = (void *)syscall(SYS_mmap, NULL, sizeof *ahead, PROT_READ, MAP_SHARED, clock, 0L);
                syscall(SYS_close, clock);
            }
            struct stat status;
            if (getenv("FAULT_SECTOR_OF") && stat(getenv("FAULT_SECTOR_OF"), &status) == 0) {
                bad_file = status.st_ino;
                sscanf(getenv("FAULT_SECTOR"), "%lld %lld", &bad_from, &bad_to);
            }
            int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC;
            if (getenv("FAULT_REPORT")) report = syscall(SYS_openat, AT_FDCWD, getenv("FAULT_REPORT"), flags, 0600);
            if (getenv("FAULT_TRACE")) trace = syscall(SYS_openat, AT_FDCWD, getenv("FAULT_TRACE"), flags, 0600);
        }

        static int kind_of(const char *path) {
            if (!file || !path) return 0;
            size_t length = strlen(file);
            if (strncmp(path, file, length) != 0) return 0;
            const char *rest = path + length;
            if (!strncmp(rest, ".segments/", 10) && atol(rest + 10) > 0) return 16 + atol(rest + 10);
            return !*rest ? 1 : !strcmp(rest, "-wal") ? 2 : !strcmp(rest, "-journal") ? 3 : 4;
        }

        static int kind(int fd) { return fd >= 0 && fd < FILES ? kinds[fd] : 0; }

        static int fails(int kind, const char *name) {
            if (!kind || !call_name || strcmp(name, call_name) != 0) return 0;
            pthread_mutex_lock(&mutex);
            long number = ++calls;
            int is_failure = number >= from && number - from < count;
            pthread_mutex_unlock(&mutex);
            if (!is_failure) return 0;
            syscall(SYS_write, report, "x", 1);
            errno = error;
            return 1;
        }

        struct record { unsigned char what, unused; uint16_t kind; uint32_t count; uint64_t offset; };

        static void note(char what, int kind, uint64_t offset, const void *bytes, size_t count) {
            if (trace < 0 || !kind || kind == 4) return;
            struct record record = {what, 0, kind, bytes ? count : 0, offset};
            pthread_mutex_lock(&mutex);
            syscall(SYS_write, trace, &record, sizeof record);
            if (bytes) syscall(SYS_write, trace, bytes, count);
            pthread_mutex_unlock(&mutex);
        }

        static int opened(int directory, const char *path, int flags, mode_t mode) {
            int kind = kind_of(path);
            if (fails(kind, "openat")) return -1;
            int fd = syscall(SYS_openat, directory, path, flags, mode);
            if (fd < 0 || fd >= FILES) return fd;
            kinds[fd] = kind;
            struct stat status;
            is_bad[fd] = bad_file && fstat(fd, &status) == 0 && status.st_ino == bad_file;
            return fd;
        }
        #define MODE va_list list; va_start(list, flags); mode_t mode = va_arg(list, int); va_end(list)
        int open(const char *path, int flags, ...) { MODE; return opened(AT_FDCWD, path, flags, mode); }
        int open64(const char *path, int flags, ...) { MODE; return opened(AT_FDCWD, path, flags, mode); }
        int openat(int at, const char *path, int flags, ...) { MODE; return opened(at, path, flags, mode); }
        int openat64(int at, const char *path, int flags, ...) { MODE; return opened(at, path, flags, mode); }

        int close(int fd) {
            if (fd >= 0 && fd < FILES) kinds[fd] = is_bad[fd] = 0;
            return syscall(SYS_close, fd);
        }

        ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t offset) {
            if (fails(kind(fd), "pwrite64")) return -1;
            ssize_t written = syscall(SYS_pwrite64, fd, bytes, count, offset);
            if (written > 0) note('w', kind(fd), offset, bytes, written);
            return written;
        }
        ssize_t pwrite(int fd, const void *bytes, size_t count, off_t offset) {
            return pwrite64(fd, bytes, count, offset);
        }

        ssize_t pread64(int fd, void *bytes, size_t count, off64_t offset) {
            if (fails(kind(fd), "pread64")) return -1;
            if (fd >= 0 && fd < FILES && is_bad[fd] && offset < bad_to && offset + (off64_t)count > bad_from) {
                syscall(SYS_write, report, "x", 1);
                errno = EIO;
                return -1;
            }
            return syscall(SYS_pread64, fd, bytes, count, offset);
        }
        ssize_t pread(int fd, void *bytes, size_t count, off_t offset) { return pread64(fd, bytes, count, offset); }

        int fdatasync(int fd) {
            if (fails(kind(fd), "fdatasync")) return -1;
            int result = syscall(SYS_fdatasync, fd);
            if (result == 0) note('s', kind(fd), 0, NULL, 0);
            return result;
        }
        int fsync(int fd) { return fdatasync(fd); }

        int ftruncate64(int fd, off64_t length) {
            if (fails(kind(fd), "ftruncate")) return -1;
            int result = syscall(SYS_ftruncate, fd, length);
            if (result == 0) note('t', kind(fd), length, NULL, 0);
            return result;
        }
        int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }

        void *mmap64(void *at, size_t count, int protection, int flags, int fd, off64_t offset) {
            if (fd >= 0 && fails(kind(fd), "mmap")) return MAP_FAILED;
            return (void *)syscall(SYS_mmap, at, count, protection, flags, fd, offset);
        }
        void *mmap(void *at, size_t count, int protection, int flags, int fd, off_t offset) {
            return mmap64(at, count, protection, flags, fd, offset);
        }

        int clock_gettime(clockid_t clock, struct timespec *time) {
            int result = syscall(SYS_clock_gettime, clock, time);
            int is_wall = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
            if (result == 0 && ahead && is_wall) time->tv_sec += *ahead;
            return result;
        }
        time_t time(time_t *to) {
            struct timespec now;
            clock_gettime(CLOCK_REALTIME, &now);
            if (to) *to = now.tv_sec;
            return now.tv_sec;
        }
        int gettimeofday(struct timeval *to, void *zone) {
            struct timespec now;
            clock_gettime(CLOCK_REALTIME, &now);
            to->tv_sec = now.tv_sec;
            to->tv_usec = now.tv_nsec / 1000;
            return 0;
        }

        int unlink(const char *path) {
            int result = syscall(SYS_unlinkat, AT_FDCWD, path, 0);
            if (result == 0) note('u', kind_of(path), 0, NULL, 0);
            return result;
        }
        """#
}

/// The wall clock of a program, which a test sets while it runs.
struct WallClock {
    fileprivate let file: String

    init(_ folder: TemporaryFolder, named name: String) throws {
        file = try folder.put(Self.bytes(0), name)
    }

    private static func bytes(_ seconds: Int64) -> [UInt8] { withUnsafeBytes(of: seconds) { Array($0) } }

    /// Sets it `seconds` ahead of the real one.
    func set(ahead seconds: Int64) throws {
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file))
        try handle.write(contentsOf: Data(Self.bytes(seconds)))
        try handle.close()
    }
}
