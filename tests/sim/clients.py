#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Clients that mean ill, at a server that must go on: clients.py ADDRESS PORT.  Those that hold
their connections do so until this program is ended; it says "ready" once all are there."""
import resource
import socket
import sys
import time

ADDRESS = (sys.argv[1], int(sys.argv[2]))
GET = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n"
SILENT, SLOW = 1000, 30
held = []


def reach(window=None):
    s = socket.socket()
    if window:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, window)
    s.settimeout(30)
    s.connect(ADDRESS)
    return s


def send(s, data):
    """What the server no longer wants is no failure."""
    try:
        s.sendall(data)
    except OSError:
        pass


def silent():
    for _ in range(SILENT):
        held.append(reach())


def slow_to_take():
    for _ in range(SLOW):
        s = reach(2048)
        send(s, GET + b"\r\n")
        held.append(s)


def huge():
    for data in (b"GET /" + b"a" * 1000000, GET + b"X: y\r\n" * 200000,
                 GET + b"Content-Length: 99999999999\r\n\r\n" + b"z" * 1000000,
                 b"\0" * 100000, b"GET /metrics HTTP/9.9\r\n\r\n"):
        s = reach()
        send(s, data)
        s.close()


def pipelined():
    s = reach()
    send(s, (GET + b"\r\n") * 10000)
    held.append(s)


resource.setrlimit(resource.RLIMIT_NOFILE, (2048, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
for attack in huge, pipelined, slow_to_take, silent:
    attack()
print("ready", flush=True)
while True:  # one byte at a time, of a request that never ends
    for s in held[-SLOW:]:
        send(s, b"G")
    time.sleep(0.2)
