/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the durability test runs as a device that may be killed at any moment:
 *
 *   durability-device SERVER FOLDER NUMBER prepare        makes what all devices share, and waits until it is uploaded
 *   durability-device SERVER FOLDER NUMBER work SEED      writes and changes its subscriptions until it is killed
 *   durability-device SERVER FOLDER NUMBER share SEED     the same, while others do so with the same folder
 *   durability-device SERVER FOLDER NUMBER settle         waits until everything is uploaded
 *   durability-device SERVER FOLDER NUMBER report FILE    waits until everything is downloaded, and writes down its objects
 *
 * Device 0 only reports, and sees everything.
 */
#include "device.h"

int main(int argc, char **argv) {
  if (argc < 5) die("usage: %s SERVER FOLDER NUMBER prepare|work|share|settle|report [ARGUMENT]", argv[0]);
  const char *command = argv[4], *argument = argc > 5 ? argv[5] : "";
  device_t device = {.number = (uint32_t)atol(argv[3]), .folder = argv[2]};
  device_open(&device, argv[1]);
  if (!strcmp(command, "prepare")) {
    prepare(&device);
  } else if (!strcmp(command, "work")) {
    work(&device, (unsigned)strtoul(argument, NULL, 10));
  } else if (!strcmp(command, "share")) {
    device.shares = true;
    work(&device, (unsigned)strtoul(argument, NULL, 10));
  } else if (!strcmp(command, "settle")) {
    last_committed(&device);
    wait_for_subscriptions(&device);
    device_wait(&device, FLX_DIRECTION_UPLOAD);
  } else if (!strcmp(command, "report")) {
    if (device.number == 0) subscribe(&device, -1);
    wait_for_subscriptions(&device);
    device_wait(&device, FLX_DIRECTION_DOWNLOAD);
    report(&device, argument);
  } else {
    die("unknown command '%s'", command);
  }
  device_close(&device);
  return 0;
}
