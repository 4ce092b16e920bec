/* Runs a program and follows, at the border of the kernel, all that it does to the files below a folder.
 *
 *   tracer LOG ROOT CLASS MODE NUMBER PROGRAM [ARGUMENT…]
 *
 * CLASS says what counts as an operation: `changes` (what changes files or their names, and what makes that last) or
 * `reads`. MODE says what happens to the operation of that number, counted from 1:
 *
 *   watch  nothing
 *   fail   it fails with EIO
 *   full   it and all that need room after it fail with ENOSPC
 *
 * LOG gets a line for each change that was made, in the order in which they ended, and behind it the bytes that it says:
 *
 *   create INODE PATH    write INODE OFFSET LENGTH    cut INODE LENGTH    sync INODE      failed-sync INODE
 *   mkdir PATH           unlink PATH                  rmdir PATH          sync-folder PATH
 *   rename LENGTH\n FROM\0TO                          link LENGTH\n FROM\0TO
 *   unknown WHAT         what this program cannot follow
 *   operations NUMBER    at the end, how many there were, and the exit code
 *
 * Nothing of the program is changed, and no library of it: what it asks of the kernel directly is seen, too. seccomp stops
 * it at these calls only. */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATHS = 4096, THREADS = 1024, REFUSED = 77 };

static FILE *out;
static char root[PATHS];
static size_t root_length;
static int counts_reads, is_fail, is_full;
static long wanted, operations;

/* A thread that is inside of a call. */
struct call {
    pid_t thread;
    int is_used;
    struct user_regs_struct registers;
    char path[PATHS], other[PATHS];
    int existed;
    long length;
};
static struct call calls[THREADS];

static void die(const char *what) {
    perror(what);
    exit(REFUSED);
}

static struct call *call_of(pid_t thread, int is_new) {
    struct call *room = NULL;
    for (int i = 0; i < THREADS; i++) {
        if (calls[i].is_used && calls[i].thread == thread) return &calls[i];
        if (!calls[i].is_used && !room) room = &calls[i];
    }
    if (!is_new) return NULL;
    if (!room) { errno = EAGAIN; die("threads"); }
    room->thread = thread;
    room->is_used = 1;
    return room;
}

/* What a name of /proc about the thread leads to; empty if to nothing. */
static void link_of(pid_t thread, const char *name, char *to) {
    char link[64];
    snprintf(link, sizeof link, "/proc/%d/%s", thread, name);
    ssize_t length = readlink(link, to, PATHS - 1);
    to[length < 0 ? 0 : length] = 0;
}

static void file_of(pid_t thread, int file, char *to) {
    char name[32];
    snprintf(name, sizeof name, "fd/%d", file);
    link_of(thread, name, to);
}

static int is_below(const char *path) {
    return !strncmp(path, root, root_length) && (path[root_length] == '/' || !path[root_length]);
}

/* The path as the log has it. */
static const char *shown(const char *path) {
    return path[root_length] ? path + root_length + 1 : ".";
}

/* Takes out `.` and `..`, by letters alone: there are no links here. */
static void tidy(char *path) {
    char from[PATHS], *save, *part;
    strcpy(from, path);
    *path = 0;
    for (part = strtok_r(from, "/", &save); part; part = strtok_r(NULL, "/", &save)) {
        if (!strcmp(part, ".")) continue;
        if (!strcmp(part, "..")) {
            char *last = strrchr(path, '/');
            if (last) *last = 0;
            continue;
        }
        strcat(path, "/");
        strcat(path, part);
    }
}

static void path_of(pid_t thread, int folder, unsigned long address, char *to) {
    char name[PATHS], mem[64];
    snprintf(mem, sizeof mem, "/proc/%d/mem", thread);
    int file = open(mem, O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? -1 : pread(file, name, sizeof name - 1, (off_t)address);
    if (file >= 0) close(file);
    name[length < 0 ? 0 : length] = 0;
    *to = 0;
    if (name[0] != '/') {
        if (folder == AT_FDCWD) link_of(thread, "cwd", to);
        else file_of(thread, folder, to);
    }
    if (strlen(to) + strlen(name) + 2 > PATHS) { *to = 0; return; }
    strcat(to, "/");
    strcat(to, name);
    tidy(to);
}

static int stat_of(pid_t thread, int file, struct stat *about) {
    char name[64];
    snprintf(name, sizeof name, "/proc/%d/fd/%d", thread, file);
    return stat(name, about);
}

static long position_of(pid_t thread, int file) {
    char name[64];
    long position = 0;
    snprintf(name, sizeof name, "/proc/%d/fdinfo/%d", thread, file);
    FILE *info = fopen(name, "r");
    if (info) {
        if (fscanf(info, "pos: %ld", &position) != 1) position = 0;
        fclose(info);
    }
    return position;
}

/* Notes down what lies in a file now, where it was written. */
static void note_write(pid_t thread, int file, long offset, long length) {
    struct stat about;
    char name[64], *bytes = malloc(length);
    snprintf(name, sizeof name, "/proc/%d/fd/%d", thread, file);
    int copy = open(name, O_RDONLY | O_CLOEXEC);
    if (copy < 0 || !bytes || fstat(copy, &about) || pread(copy, bytes, length, offset) != length) die("a written file");
    fprintf(out, "write %lu %ld %ld\n", (unsigned long)about.st_ino, offset, length);
    fwrite(bytes, 1, length, out);
    close(copy);
    free(bytes);
}

static void note_two(const char *what, const struct call *call) {
    const char *from = shown(call->path), *to = shown(call->other);
    fprintf(out, "%s %zu\n%s%c%s", what, strlen(from) + 1 + strlen(to), from, 0, to);
}

static void note_cut(pid_t thread, int file) {
    struct stat about;
    if (!stat_of(thread, file, &about)) fprintf(out, "cut %lu %ld\n", (unsigned long)about.st_ino, (long)about.st_size);
}

/* Looks at a call that begins. */
enum { NOT_OURS, CHANGES, NEEDS_ROOM, READS };
static int begins(pid_t thread, struct call *call) {
    struct user_regs_struct *r = &call->registers;
    struct stat about;
    int flags = 0, first = (int)r->rdi;
    call->path[0] = call->other[0] = 0;
    switch (r->orig_rax) {
    case SYS_open: path_of(thread, AT_FDCWD, r->rdi, call->path); flags = (int)r->rsi; goto opens;
    case SYS_creat: path_of(thread, AT_FDCWD, r->rdi, call->path); flags = O_CREAT | O_WRONLY | O_TRUNC; goto opens;
    case SYS_openat: path_of(thread, first, r->rsi, call->path); flags = (int)r->rdx;
    opens:
        if (!is_below(call->path)) return NOT_OURS;
        call->existed = !stat(call->path, &about);
        call->length = call->existed ? about.st_size : 0;
        if ((flags & O_TMPFILE) == O_TMPFILE) fprintf(out, "unknown O_TMPFILE\n");
        if (!(flags & (O_CREAT | O_TRUNC | O_WRONLY | O_RDWR))) return READS;
        return (flags & O_CREAT) && !call->existed ? NEEDS_ROOM : CHANGES;
    case SYS_read: case SYS_pread64: case SYS_readv: case SYS_preadv: case SYS_getdents64:
        file_of(thread, first, call->path);
        return is_below(call->path) ? READS : NOT_OURS;
    case SYS_write: case SYS_pwrite64: case SYS_writev: case SYS_pwritev: case SYS_pwritev2: case SYS_fallocate:
    case SYS_sendfile:
        file_of(thread, first, call->path);
        return is_below(call->path) ? NEEDS_ROOM : NOT_OURS;
    case SYS_copy_file_range:
        file_of(thread, (int)r->rdx, call->path);
        return is_below(call->path) ? NEEDS_ROOM : NOT_OURS;
    case SYS_ftruncate:
        file_of(thread, first, call->path);
        if (!is_below(call->path)) return NOT_OURS;
        return !stat_of(thread, first, &about) && (long)r->rsi > about.st_size ? NEEDS_ROOM : CHANGES;
    case SYS_fsync: case SYS_fdatasync:
        file_of(thread, first, call->path);
        return is_below(call->path) ? CHANGES : NOT_OURS;
    case SYS_truncate: path_of(thread, AT_FDCWD, r->rdi, call->path); return is_below(call->path) ? CHANGES : NOT_OURS;
    case SYS_mkdir: path_of(thread, AT_FDCWD, r->rdi, call->path); return is_below(call->path) ? NEEDS_ROOM : NOT_OURS;
    case SYS_mkdirat: path_of(thread, first, r->rsi, call->path); return is_below(call->path) ? NEEDS_ROOM : NOT_OURS;
    case SYS_unlink: case SYS_rmdir: path_of(thread, AT_FDCWD, r->rdi, call->path); return is_below(call->path) ? CHANGES : NOT_OURS;
    case SYS_unlinkat: path_of(thread, first, r->rsi, call->path); return is_below(call->path) ? CHANGES : NOT_OURS;
    case SYS_rename: case SYS_link:
        path_of(thread, AT_FDCWD, r->rdi, call->path);
        path_of(thread, AT_FDCWD, r->rsi, call->other);
        break;
    case SYS_renameat: case SYS_renameat2: case SYS_linkat:
        path_of(thread, first, r->rsi, call->path);
        path_of(thread, (int)r->rdx, r->r10, call->other);
        break;
    case SYS_symlink: case SYS_symlinkat:
        path_of(thread, AT_FDCWD, r->orig_rax == SYS_symlink ? r->rsi : r->rdx, call->path);
        if (is_below(call->path)) fprintf(out, "unknown symlink\n");
        return NOT_OURS;
    case SYS_mmap: {
        /* A shared map that can be written: what is written by it cannot be seen. */
        int is_written = (r->rdx & 2) && (r->r10 & 3) == 1 && (int)r->r8 >= 0;
        if (is_written) file_of(thread, (int)r->r8, call->path);
        if (is_written && is_below(call->path)) fprintf(out, "unknown map of %s\n", shown(call->path));
        return NOT_OURS;
    }
    default: return NOT_OURS;
    }
    if (is_below(call->path) != is_below(call->other)) fprintf(out, "unknown move across the border\n");
    return is_below(call->path) && is_below(call->other) ? NEEDS_ROOM : NOT_OURS;
}

/* Notes down a call that has ended. */
static void ended(pid_t thread, struct call *call, long result) {
    struct user_regs_struct *r = &call->registers;
    struct stat about;
    int first = (int)r->rdi;
    int is_sync = r->orig_rax == SYS_fsync || r->orig_rax == SYS_fdatasync;
    if (result < 0 && !is_sync) return;
    switch (r->orig_rax) {
    case SYS_open: case SYS_openat: case SYS_creat:
        if (stat_of(thread, (int)result, &about)) return;
        if (!call->existed) fprintf(out, "create %lu %s\n", (unsigned long)about.st_ino, shown(call->path));
        else if (about.st_size < call->length) note_cut(thread, (int)result);
        break;
    case SYS_write: case SYS_writev: case SYS_sendfile:
        if (result > 0) note_write(thread, first, position_of(thread, first) - result, result);
        break;
    case SYS_pwrite64: case SYS_pwritev: case SYS_pwritev2:
        if (result > 0) note_write(thread, first, (long)r->r10, result);
        break;
    case SYS_copy_file_range:
        if (r->r10) fprintf(out, "unknown copy_file_range\n");
        else if (result > 0) note_write(thread, (int)r->rdx, position_of(thread, (int)r->rdx) - result, result);
        break;
    case SYS_fallocate:
        if (r->rsi) fprintf(out, "unknown fallocate\n");
        note_cut(thread, first);
        break;
    case SYS_ftruncate: note_cut(thread, first); break;
    case SYS_truncate: fprintf(out, "unknown truncate\n"); break;
    case SYS_fsync: case SYS_fdatasync:
        if (stat_of(thread, first, &about)) return;
        if (S_ISDIR(about.st_mode)) {
            if (result >= 0) fprintf(out, "sync-folder %s\n", shown(call->path));
        } else {
            fprintf(out, "%s %lu\n", result < 0 ? "failed-sync" : "sync", (unsigned long)about.st_ino);
        }
        break;
    case SYS_mkdir: case SYS_mkdirat: fprintf(out, "mkdir %s\n", shown(call->path)); break;
    case SYS_unlink: fprintf(out, "unlink %s\n", shown(call->path)); break;
    case SYS_rmdir: fprintf(out, "rmdir %s\n", shown(call->path)); break;
    case SYS_unlinkat: fprintf(out, "%s %s\n", r->rdx & AT_REMOVEDIR ? "rmdir" : "unlink", shown(call->path)); break;
    case SYS_rename: case SYS_renameat: case SYS_renameat2: note_two("rename", call); break;
    case SYS_link: case SYS_linkat: note_two("link", call); break;
    }
}

static void install_filter(void) {
    static const int watched[] = {
        SYS_open, SYS_openat, SYS_creat, SYS_read, SYS_pread64, SYS_readv, SYS_preadv, SYS_getdents64, SYS_write,
        SYS_pwrite64, SYS_writev, SYS_pwritev, SYS_pwritev2, SYS_fallocate, SYS_sendfile, SYS_copy_file_range,
        SYS_ftruncate, SYS_truncate, SYS_fsync, SYS_fdatasync, SYS_mkdir, SYS_mkdirat, SYS_unlink, SYS_unlinkat,
        SYS_rmdir, SYS_rename, SYS_renameat, SYS_renameat2, SYS_link, SYS_linkat, SYS_symlink, SYS_symlinkat, SYS_mmap,
    };
    enum { COUNT = sizeof watched / sizeof *watched };
    struct sock_filter filter[COUNT + 3];
    filter[0] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (int i = 0; i < COUNT; i++)
        filter[1 + i] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, watched[i], COUNT - i, 0);
    filter[COUNT + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    filter[COUNT + 2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE);
    struct sock_fprog program = {COUNT + 3, filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) die("seccomp");
}

/* A stop at one of the calls: lets it go on, or fails it. */
static void at_call(pid_t thread) {
    struct call *call = call_of(thread, 1);
    if (ptrace(PTRACE_GETREGS, thread, 0, &call->registers)) { call->is_used = 0; return; }
    int kind = begins(thread, call);
    int error = 0;
    if (kind && (kind == READS) == counts_reads) {
        operations++;
        if (is_fail && operations == wanted) error = EIO;
        if (is_full && operations >= wanted && kind == NEEDS_ROOM) error = ENOSPC;
    }
    if (error) {
        struct user_regs_struct changed = call->registers;
        changed.orig_rax = -1UL;
        changed.rax = (unsigned long)-(long)error;
        ended(thread, call, -error);
        ptrace(PTRACE_SETREGS, thread, 0, &changed);
    }
    int is_done = error || !kind;
    if (is_done) call->is_used = 0;
    ptrace(is_done ? PTRACE_CONT : PTRACE_SYSCALL, thread, 0, 0);
}

int main(int count, char **arguments) {
    if (count < 7) { fprintf(stderr, "tracer LOG ROOT CLASS MODE NUMBER PROGRAM\n"); return REFUSED; }
    out = fopen(arguments[1], "we");
    if (!out || !realpath(arguments[2], root)) die(arguments[1]);
    root_length = strlen(root);
    counts_reads = !strcmp(arguments[3], "reads");
    is_fail = !strcmp(arguments[4], "fail");
    is_full = !strcmp(arguments[4], "full");
    wanted = atol(arguments[5]);
    pid_t program = fork();
    if (program < 0) die("fork");
    if (!program) {
        if (ptrace(PTRACE_TRACEME, 0, 0, 0)) die("ptrace");
        raise(SIGSTOP);
        install_filter();
        execvp(arguments[6], arguments + 6);
        die(arguments[6]);
    }
    int status, code = REFUSED;
    if (waitpid(program, &status, __WALL) < 0 || !WIFSTOPPED(status)) return REFUSED;
    long options = PTRACE_O_TRACESECCOMP | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                   PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL;
    if (ptrace(PTRACE_SETOPTIONS, program, 0, options)) die("ptrace");
    ptrace(PTRACE_CONT, program, 0, 0);
    for (;;) {
        pid_t thread = waitpid(-1, &status, __WALL);
        if (thread < 0) break;
        if (WIFEXITED(status) || WIFSIGNALED(status)) {
            struct call *call = call_of(thread, 0);
            if (call) call->is_used = 0;
            if (thread == program) code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
            continue;
        }
        int signal = WSTOPSIG(status), event = status >> 16;
        if (signal == SIGTRAP && event == PTRACE_EVENT_SECCOMP) {
            at_call(thread);
        } else if (signal == (SIGTRAP | 0x80)) {
            struct user_regs_struct now;
            struct call *call = call_of(thread, 0);
            if (call && !ptrace(PTRACE_GETREGS, thread, 0, &now)) ended(thread, call, (long)now.rax);
            if (call) call->is_used = 0;
            ptrace(PTRACE_CONT, thread, 0, 0);
        } else {
            int is_ours = event || signal == SIGTRAP || signal == SIGSTOP;
            ptrace(PTRACE_CONT, thread, 0, is_ours ? 0 : signal);
        }
    }
    fprintf(out, "operations %ld %d\n", operations, code);
    if (fclose(out)) die(arguments[1]);
    return code;
}
