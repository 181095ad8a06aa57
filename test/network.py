"""Two network namespaces on one machine, joined by a link with a delay and losses.

The kernel's netem makes these where it has it. Where it does not, a relay of this file does: it passes Ethernet frames from one
namespace to the other, each after the delay, and drops some at random.
"""

import ctypes
import fcntl
import heapq
import os
import random
import select
import socket
import struct
import subprocess
import sys
import threading
import time

SIOCETHTOOL = 0x8946
OFFLOADS = (0x17, 0x1F, 0x24)  # ETHTOOL_STXCSUM, ETHTOOL_STSO, ETHTOOL_SGSO of <linux/ethtool.h>: a relay sees whole frames
FRAME = 1 << 16


def ip(*args: str) -> None:
    subprocess.run(["ip", *args], check=True, capture_output=True)


def inside(namespace: str, *command: str) -> list[str]:
    return ["ip", "netns", "exec", namespace, *command]


class Link:
    """Namespaces names[0] and names[1], whose machines have the addresses addresses[0] and addresses[1]."""

    def __init__(self, delay: float, loss: float):
        """delay: seconds of a frame in one direction; loss: share of frames that get lost."""
        own = f"lm{os.getpid()}"
        self.names, self.addresses = [f"{own}a", f"{own}b"], ["10.213.7.1", "10.213.7.2"]
        self.outer = [f"{own}x", f"{own}y"]
        self.relay: Relay | None = None
        for name, address, outer in zip(self.names, self.addresses, self.outer, strict=True):
            ip("netns", "add", name)
            ip("link", "add", outer, "type", "veth", "peer", "name", "eth0", "netns", name)
            ip("link", "set", outer, "up")
            subprocess.run(inside(name, "ip", "addr", "add", f"{address}/24", "dev", "eth0"), check=True)
            for device in ("lo", "eth0"):
                subprocess.run(inside(name, "ip", "link", "set", device, "up"), check=True)
        netem = ["netem", "delay", f"{delay * 1e6:.0f}us", "loss", f"{100 * loss}%"]
        shaped = [subprocess.run(inside(name, "tc", "qdisc", "add", "dev", "eth0", "root", *netem), capture_output=True).returncode == 0 for name in self.names]
        self.kind = "netem" if all(shaped) else "a relay"
        self.relay = Relay(self.outer, *((0.0, 0.0) if all(shaped) else (delay, loss)))
        for name in self.names:
            subprocess.run(inside(name, "python3", __file__, "eth0"), check=True)

    def close(self) -> None:
        if self.relay:
            self.relay.close()
        for name, outer in zip(self.names, self.outer, strict=True):
            subprocess.run(["ip", "link", "del", outer], capture_output=True)
            subprocess.run(["ip", "netns", "del", name], capture_output=True)


class Relay:
    """Passes frames between two devices, each after a delay."""

    def __init__(self, devices: list[str], delay: float, loss: float):
        self.delay, self.loss, self.done = delay, loss, False
        self.random = random.Random(1)
        self.sockets = [socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3)) for _ in devices]
        for s, device in zip(self.sockets, devices, strict=True):
            s.bind((device, 0))
            s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 24)
            s.setblocking(False)
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self) -> None:
        waiting: list[tuple[float, int, socket.socket, bytes]] = []
        number = 0
        while not self.done:
            until = max(0.0, waiting[0][0] - time.monotonic()) if waiting else 0.05
            for s in select.select(self.sockets, [], [], until)[0]:
                frame, address = s.recvfrom(FRAME)
                if address[2] == socket.PACKET_OUTGOING or self.random.random() < self.loss:
                    continue
                other = self.sockets[1 - self.sockets.index(s)]
                number += 1
                heapq.heappush(waiting, (time.monotonic() + self.delay, number, other, frame))
            while waiting and waiting[0][0] <= time.monotonic():
                _, _, s, frame = heapq.heappop(waiting)
                try:
                    s.send(frame)
                except OSError:
                    continue  # a full queue: the frame is lost

    def close(self) -> None:
        self.done = True
        self.thread.join()
        for s in self.sockets:
            s.close()


def without_offloads(device: str) -> None:
    """Makes the kernel send frames as they would be on a wire: with checksums, and none longer than the link takes."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        for command in OFFLOADS:
            value = ctypes.create_string_buffer(struct.pack("II", command, 0))
            fcntl.ioctl(s, SIOCETHTOOL, struct.pack("16sP", device.encode(), ctypes.addressof(value)))


if __name__ == "__main__":
    without_offloads(sys.argv[1])
