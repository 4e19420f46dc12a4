/* Sends one datagram repeatedly: flood <source address> <port> <packets per second> <seconds> <datagram in hex>. */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

int main(int count, char **args) {
  if (count != 6) return 2;
  struct sockaddr_in from = {.sin_family = AF_INET}, to = {.sin_family = AF_INET, .sin_port = htons(atoi(args[2]))};
  inet_pton(AF_INET, args[1], &from.sin_addr);
  inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
  double rate = atof(args[3]), seconds = atof(args[4]);
  unsigned char packet[1500];
  size_t length = strlen(args[5]) / 2;
  if (length > sizeof packet) return 2;
  for (size_t at = 0; at < length; at++) sscanf(args[5] + 2 * at, "%2hhx", &packet[at]);
  int port = socket(AF_INET, SOCK_DGRAM, 0);
  if (port < 0 || bind(port, (struct sockaddr *)&from, sizeof from) != 0) return 1;
  double began = now();
  unsigned long sent = 0;
  while (now() - began < seconds) {
    unsigned long due = (unsigned long)((now() - began) * rate);
    for (; sent < due; sent++) sendto(port, packet, length, 0, (struct sockaddr *)&to, sizeof to);
    usleep(500);
  }
  printf("%lu\n", sent);
  return 0;
}
