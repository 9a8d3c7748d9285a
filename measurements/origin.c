// A fast origin: albums, songs, artists and any other path, the same answer each time. One thread a connection.
// usage: origin PORT LATENCY_MS [LOG]. The log gets one line a request: milliseconds (monotonic), target.
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
static int latency; static FILE *logfile; static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#define C "/v1/catalog/us/"
static char *song(char *p, long id, int full) {
    p += sprintf(p, "{\"id\":\"%ld\",\"type\":\"songs\",\"href\":\"" C "songs/%ld\",\"attributes\":{\"name\":\"Song %ld\",\"durationInMillis\":%ld,\"artistName\":\"A\"}", id, id, id, 180000 + id % 60000);
    if (full) p += sprintf(p, ",\"relationships\":{\"albums\":{\"href\":\"" C "songs/%ld/albums\",\"data\":[{\"id\":\"%ld\",\"type\":\"albums\",\"href\":\"" C "albums/%ld\"}]}}", id, id / 10, id / 10);
    return p + sprintf(p, "}");
}
static char *artist(char *p, long id, int attributes) {
    p += sprintf(p, "{\"id\":\"%ld\",\"type\":\"artists\",\"href\":\"" C "artists/%ld\"", id, id);
    if (attributes) p += sprintf(p, ",\"attributes\":{\"name\":\"Artist %ld\",\"genreNames\":[\"Pop\"]}", id);
    return p + sprintf(p, "}");
}
static char *album(char *p, long id, int artists) {
    p += sprintf(p, "{\"id\":\"%ld\",\"type\":\"albums\",\"href\":\"" C "albums/%ld\",\"attributes\":{\"name\":\"Album %ld\",\"artistName\":\"A\",\"trackCount\":5},\"relationships\":{\"artists\":{\"href\":\"" C "albums/%ld/artists\",\"data\":[", id, id, id, id);
    p = artist(p, 500000 + id % 100, artists);
    p += sprintf(p, "]},\"tracks\":{\"href\":\"" C "albums/%ld/tracks\",\"data\":[", id);
    for (int k = 0; k < 5; k++) { if (k) *p++ = ','; p = song(p, id * 10 + k, 0); }
    return p + sprintf(p, "]}}}");
}
static char *one(char *p, const char *type, long id, int artists) {
    if (!strncmp(type, "albums", 6)) return album(p, id, artists);
    if (!strncmp(type, "artists", 7)) return artist(p, id, 1);
    return song(p, id, 1);
}
static char *body(char *p, char *target) {
    char *type = strncmp(target, C, strlen(C)) ? NULL : target + strlen(C);
    char *query = strchr(target, '?');
    int artists = query && strstr(query, "include=artists");
    int known = type && (!strncmp(type, "albums", 6) || !strncmp(type, "songs", 5) || !strncmp(type, "artists", 7));
    if (!known) return p + sprintf(p, "{\"results\":{}}");
    p += sprintf(p, "{\"data\":[");
    char *ids = query ? strstr(query, "ids=") : NULL;
    if (ids) {
        for (ids += 4; *ids;) {
            p = one(p, type, strtol(ids, &ids, 10), artists);
            if (!strncmp(ids, "%2C", 3)) ids += 3; else if (*ids == ',') ids++; else break;
            *p++ = ',';
        }
    } else p = one(p, type, strtol(strchr(type, '/') + 1, NULL, 10), artists);
    return p + sprintf(p, "]}");
}
static void *serve(void *arg) {
    int fd = (int)(long)arg, have = 0, on = 1;
    char *in = malloc(65536), *text = malloc(1 << 20), *out = malloc((1 << 20) + 512);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    for (;;) {
        char *end;
        in[have] = 0;
        while (!(end = strstr(in, "\r\n\r\n"))) {
            int n = read(fd, in + have, 65000 - have);
            if (n <= 0) goto over;
            have += n; in[have] = 0;
        }
        char target[16384] = "";
        sscanf(in, "%*s %16383s", target);
        int used = end + 4 - in;
        if (logfile) {
            struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t);
            pthread_mutex_lock(&lock); fprintf(logfile, "%ld %s\n", t.tv_sec * 1000 + t.tv_nsec / 1000000, target); pthread_mutex_unlock(&lock);
        }
        if (latency) usleep(latency * 1000);
        int length = body(text, target) - text;
        int head = sprintf(out, "HTTP/1.1 200 OK\r\nContent-Type: application/json;charset=utf-8\r\nContent-Length: %d\r\n\r\n", length);
        memcpy(out + head, text, length);
        for (int sent = 0, all = head + length; sent < all;) { int n = write(fd, out + sent, all - sent); if (n <= 0) goto over; sent += n; }
        memmove(in, in + used, have - used); have -= used;
    }
over:
    close(fd); free(in); free(text); free(out);
    return NULL;
}
int main(int argc, char **argv) {
    signal(SIGPIPE, SIG_IGN);
    latency = atoi(argv[2]);
    if (argc > 3) { logfile = fopen(argv[3], "w"); setvbuf(logfile, NULL, _IOLBF, 65536); }
    int s = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(atoi(argv[1])), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(s, (void *)&a, sizeof a) || listen(s, 1024)) { perror("origin"); return 1; }
    for (;;) {
        int fd = accept(s, NULL, NULL);
        if (fd < 0) continue;
        pthread_t t; pthread_create(&t, NULL, serve, (void *)(long)fd); pthread_detach(t);
    }
}
