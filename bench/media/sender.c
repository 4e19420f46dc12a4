/*
 * Sends and receives the audio of many calls: SRTP as each call's browser, RTP as its far end, 50 packets a second each way. Every payload
 * contains the time at which it was sent, and the kernel timestamps what arrives, so that the measured delay excludes this program's.
 *
 * Standard input, one command a line:
 *   add <browser port> <exchange's WebRTC port> <SRTP profile> <key to send, hex> <key to receive, hex> <far port> <exchange's RTP port>
 *   mark     packets sent from now on count
 *   stop     packets sent from now on do not count
 *   report   prints the counts as one line of JSON
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <srtp2/srtp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum {
  MAX_CALLS = 2000,
  FRAME_BYTES = 160,
  HEADER_BYTES = 12,
  DATAGRAM_BYTES = 1500,
  FRAME_NS = 20000000,
  TICK_NS = 1000000,
  BUCKET_NS = 50000,
  BUCKETS = 60000,
  EVENTS = 256,
  PROFILE_GCM = 7
};
static const uint32_t MAGIC = 0x46415231;

struct counts {
  uint64_t sent, received, buckets[BUCKETS];
};

struct side {
  int socket;
  uint16_t sequence;
  uint32_t timestamp, ssrc;
  srtp_t protect, unprotect;
  struct counts *towards, *from;
};

struct call {
  struct side browser, far;
  int64_t due;
};

static struct call calls[MAX_CALLS];
static int call_count;
/* From browsers to far ends, the other way, and how late this program itself was. */
static struct counts up, down, own_lateness;
static int64_t from_ns = INT64_MAX, until_ns = INT64_MAX;

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void record(struct counts *counts, int64_t ns) {
  int64_t bucket = ns < 0 ? 0 : ns / BUCKET_NS;
  counts->buckets[bucket < BUCKETS ? bucket : BUCKETS - 1]++;
}

static double rank_ms(const struct counts *counts, double part) {
  uint64_t total = 0, seen = 0;
  for (int i = 0; i < BUCKETS; i++) total += counts->buckets[i];
  if (total == 0) return -1;
  uint64_t wanted = (uint64_t)(part * (double)(total - 1)) + 1;
  for (int i = 0; i < BUCKETS; i++) {
    seen += counts->buckets[i];
    if (seen >= wanted) return (double)(i + 1) * BUCKET_NS / 1e6;
  }
  return (double)BUCKETS * BUCKET_NS / 1e6;
}

static int open_socket(int port, int target) {
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
  int on = 1, bytes = 1 << 20;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons((uint16_t)port)};
  if (fd < 0) fail("socket");
  setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
  setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
  if (bind(fd, (struct sockaddr *)&address, sizeof address) < 0) fail("bind");
  address.sin_port = htons((uint16_t)target);
  if (connect(fd, (struct sockaddr *)&address, sizeof address) < 0) fail("connect");
  return fd;
}

static srtp_t open_srtp(int profile, const char *hex, int inbound) {
  static unsigned char keys[2 * MAX_CALLS][64];
  static int used;
  unsigned char *key = keys[used++];
  for (size_t i = 0; i * 2 + 1 < strlen(hex) && i < sizeof keys[0]; i++) sscanf(hex + 2 * i, "%2hhx", &key[i]);
  srtp_policy_t policy;
  memset(&policy, 0, sizeof policy);
  if (profile == PROFILE_GCM) {
    srtp_crypto_policy_set_aes_gcm_128_16_auth(&policy.rtp);
    srtp_crypto_policy_set_aes_gcm_128_16_auth(&policy.rtcp);
  } else {
    srtp_crypto_policy_set_aes_cm_128_hmac_sha1_80(&policy.rtp);
    srtp_crypto_policy_set_aes_cm_128_hmac_sha1_80(&policy.rtcp);
  }
  policy.ssrc.type = inbound ? ssrc_any_inbound : ssrc_any_outbound;
  policy.key = key;
  policy.window_size = 1024;
  srtp_t session;
  if (srtp_create(&session, &policy) != srtp_err_status_ok) fail("srtp_create");
  return session;
}

static void watch(int epoll, int fd, void *what) {
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = what};
  if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) < 0) fail("epoll_ctl");
}

static void add_call(int epoll, const char *line) {
  int browser_port, webrtc_port, profile, far_port, rtp_port;
  char send_key[129], receive_key[129];
  if (call_count == MAX_CALLS ||
      sscanf(line, "add %d %d %d %128s %128s %d %d", &browser_port, &webrtc_port, &profile, send_key, receive_key, &far_port, &rtp_port) != 7)
    fail("add");
  struct call *call = &calls[call_count];
  uint32_t ssrc = 0x1000u + (uint32_t)call_count * 2;
  call->browser = (struct side){open_socket(browser_port, webrtc_port), 1000, 1000, ssrc, NULL, NULL, &up, &down};
  call->far = (struct side){open_socket(far_port, rtp_port), 1000, 1000, ssrc + 1, NULL, NULL, &down, &up};
  call->browser.protect = open_srtp(profile, send_key, 0);
  call->browser.unprotect = open_srtp(profile, receive_key, 1);
  /* Spreads the calls evenly over the 20 ms of a frame: 7 and 20 have no common factor. */
  call->due = now_ns() + (int64_t)(call_count * 7 % 20) * TICK_NS;
  watch(epoll, call->browser.socket, &call->browser);
  watch(epoll, call->far.socket, &call->far);
  call_count++;
}

static void send_frame(struct side *side) {
  unsigned char packet[DATAGRAM_BYTES];
  int length = HEADER_BYTES + FRAME_BYTES;
  uint32_t timestamp = htonl(side->timestamp), ssrc = htonl(side->ssrc);
  uint16_t sequence = htons(side->sequence);
  packet[0] = 0x80;
  packet[1] = 0;
  memcpy(packet + 2, &sequence, 2);
  memcpy(packet + 4, &timestamp, 4);
  memcpy(packet + 8, &ssrc, 4);
  memset(packet + HEADER_BYTES, 0xff, FRAME_BYTES);
  int64_t at = now_ns();
  memcpy(packet + HEADER_BYTES, &MAGIC, 4);
  memcpy(packet + HEADER_BYTES + 4, &at, 8);
  if (side->protect != NULL && srtp_protect(side->protect, packet, &length) != srtp_err_status_ok) fail("srtp_protect");
  side->sequence++;
  side->timestamp += FRAME_BYTES;
  if (at >= from_ns && at < until_ns) side->towards->sent++;
  /* A full buffer loses the packet, which the counts show. */
  (void)!send(side->socket, packet, (size_t)length, 0);
}

static void send_due(void) {
  int64_t now = now_ns();
  for (int i = 0; i < call_count; i++) {
    struct call *call = &calls[i];
    if (call->due > now) continue;
    if (call->due >= from_ns && call->due < until_ns) record(&own_lateness, now - call->due);
    send_frame(&call->browser);
    send_frame(&call->far);
    call->due += FRAME_NS;
    /* After a long pause it continues from now: it would otherwise measure its own burst. */
    if (call->due < now - 5 * (int64_t)FRAME_NS) call->due = now + FRAME_NS;
  }
}

static void receive_all(struct side *side) {
  for (;;) {
    unsigned char packet[DATAGRAM_BYTES], control[128];
    struct iovec part = {packet, sizeof packet};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    int length = (int)recvmsg(side->socket, &message, 0);
    if (length < 0) return;
    if (length < HEADER_BYTES || packet[0] >> 6 != 2 || (packet[1] & 0x7f) != 0) continue;
    if (side->unprotect != NULL && srtp_unprotect(side->unprotect, packet, &length) != srtp_err_status_ok) continue;
    uint32_t magic;
    int64_t sent_at, arrived_at = now_ns();
    memcpy(&magic, packet + HEADER_BYTES, 4);
    memcpy(&sent_at, packet + HEADER_BYTES + 4, 8);
    if (length != HEADER_BYTES + FRAME_BYTES || magic != MAGIC || sent_at < from_ns || sent_at >= until_ns) continue;
    struct cmsghdr *stamp = CMSG_FIRSTHDR(&message);
    if (stamp != NULL && stamp->cmsg_type == SCM_TIMESTAMPNS) {
      struct timespec at;
      memcpy(&at, CMSG_DATA(stamp), sizeof at);
      arrived_at = (int64_t)at.tv_sec * 1000000000 + at.tv_nsec;
    }
    side->from->received++;
    record(side->from, arrived_at - sent_at);
  }
}

static void print_direction(const char *name, const struct counts *counts) {
  printf("\"%s\":{\"sent\":%lu,\"received\":%lu,\"p50\":%.2f,\"p99\":%.2f,\"max\":%.2f}", name, counts->sent, counts->received,
         rank_ms(counts, 0.5), rank_ms(counts, 0.99), rank_ms(counts, 1));
}

static void obey(int epoll, const char *line) {
  if (strncmp(line, "add ", 4) == 0) add_call(epoll, line);
  else if (strcmp(line, "mark") == 0) {
    memset(&up, 0, sizeof up);
    memset(&down, 0, sizeof down);
    memset(&own_lateness, 0, sizeof own_lateness);
    from_ns = now_ns();
    until_ns = INT64_MAX;
  } else if (strcmp(line, "stop") == 0) until_ns = now_ns();
  else if (strcmp(line, "report") == 0) {
    printf("{\"calls\":%d,\"lateP99\":%.2f,", call_count, rank_ms(&own_lateness, 0.99));
    print_direction("toTrunk", &up);
    printf(",");
    print_direction("toBrowser", &down);
    printf("}\n");
    fflush(stdout);
  }
}

/** False at the end of the input. */
static int read_commands(int epoll) {
  static char text[1 << 16];
  static size_t have;
  ssize_t got = read(0, text + have, sizeof text - have - 1);
  if (got == 0) return 0;
  if (got < 0) return errno == EAGAIN;
  have += (size_t)got;
  text[have] = 0;
  char *line = text;
  for (char *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
    *end = 0;
    obey(epoll, line);
  }
  have -= (size_t)(line - text);
  memmove(text, line, have);
  return 1;
}

int main(void) {
  static int input, ticks;
  if (srtp_init() != srtp_err_status_ok) fail("srtp_init");
  int epoll = epoll_create1(0), timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
  struct itimerspec every = {{0, TICK_NS}, {0, TICK_NS}};
  timerfd_settime(timer, 0, &every, NULL);
  fcntl(0, F_SETFL, O_NONBLOCK);
  watch(epoll, 0, &input);
  watch(epoll, timer, &ticks);
  for (;;) {
    struct epoll_event events[EVENTS];
    int count = epoll_wait(epoll, events, EVENTS, -1);
    for (int i = 0; i < count; i++) {
      uint64_t passed;
      if (events[i].data.ptr == &ticks) {
        (void)!read(timer, &passed, sizeof passed);
        send_due();
      } else if (events[i].data.ptr == &input) {
        if (!read_commands(epoll)) return 0;
      } else receive_all(events[i].data.ptr);
    }
  }
}
