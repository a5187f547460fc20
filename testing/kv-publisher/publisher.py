"""Publishes what it is told on a real ZeroMQ socket, and answers replays, as vLLM's ZmqEventPublisher does.

Each line of its input is a message as JSON: topic, sequence, payload in base64, and whether it is lost, so that only a
replay has it. Its arguments are its address, and two ports or zeros. Its first line of output is its two ports.
"""

import base64
import json
import struct
import sys
import threading

import zmq

context = zmq.Context()
host, *ports = sys.argv[1:]


def bound(kind, port):
    socket = context.socket(kind)
    socket.bind(f"tcp://{host}:{port if port != '0' else '*'}")
    return socket, int(socket.getsockopt_string(zmq.LAST_ENDPOINT).rsplit(":", 1)[1])


publisher, port = bound(zmq.PUB, ports[0])
replay, replay_port = bound(zmq.ROUTER, ports[1])
history = []
lock = threading.Lock()


def answer_replays():
    while True:
        client, _, start = replay.recv_multipart()
        with lock:
            kept = list(history)
        for topic, sequence, payload in kept:
            if sequence >= struct.unpack(">Q", start)[0]:
                replay.send_multipart((client, b"", topic, struct.pack(">Q", sequence), payload))
        replay.send_multipart((client, b"", b"", b"\xff" * 8, b""))


threading.Thread(target=answer_replays, daemon=True).start()
print(f"{port} {replay_port}", flush=True)
for line in sys.stdin:
    message = json.loads(line)
    parts = (message["topic"].encode(), message["sequence"], base64.b64decode(message["payload"]))
    if message["kept"]:
        with lock:
            history.append(parts)
    if not message["lost"]:
        publisher.send_multipart((parts[0], struct.pack(">Q", parts[1]), parts[2]))
