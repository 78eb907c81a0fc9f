"""A WebSocket client in the standard library: of what tests say to `lacuna web`, well formed or not, and to Chromium."""

import base64
import os
import socket
import struct


class Refused(Exception):
    """The handshake's status, as "403 Forbidden ...", is the text."""


class WebSocket:
    def __init__(self, port, path, protocols=(), headers=None, host="127.0.0.1", timeout=30):
        self.socket = socket.create_connection((host, port), timeout)
        lines = [f"GET {path} HTTP/1.1", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
                 "Sec-WebSocket-Key: " + base64.b64encode(os.urandom(16)).decode()]
        lines += [f"{name}: {value}" for name, value in {"Host": f"{host}:{port}", **(headers or {})}.items()]
        if protocols:
            lines.append("Sec-WebSocket-Protocol: " + ", ".join(protocols))
        self.socket.sendall("\r\n".join([*lines, "", ""]).encode())
        self.rest = b""
        while b"\r\n\r\n" not in self.rest:
            self.more()
        head, self.rest = self.rest.split(b"\r\n\r\n", 1)
        self.head = head.decode()
        if " 101 " not in self.head.split("\r\n")[0]:
            self.socket.close()
            raise Refused(self.head.split(" ", 1)[1])

    def more(self):
        received = self.socket.recv(1 << 20)
        if not received:
            raise ConnectionError("the connection ended")
        self.rest += received

    def send(self, data, opcode=None):
        """Text or bytes; `opcode` says otherwise."""
        if opcode is None:
            opcode = 1 if isinstance(data, str) else 2
        data = data.encode() if isinstance(data, str) else data
        length = len(data)
        size = (bytes([0x80 | length]) if length < 126 else b"\xfe" + struct.pack(">H", length) if length < 65536
                else b"\xff" + struct.pack(">Q", length))
        mask = os.urandom(4)
        masked = bytes(a ^ b for a, b in zip(data, mask * (length // 4 + 1)))
        self.socket.sendall(bytes([0x80 | opcode]) + size + mask + masked)

    def take(self, count):
        while len(self.rest) < count:
            self.more()
        taken, self.rest = self.rest[:count], self.rest[count:]
        return taken

    def receive(self):
        """The next message: text, bytes, or ("close", code, reason). Answers pings."""
        whole, kind = b"", 0
        while True:
            first, second = self.take(2)
            length = second & 127
            if length == 126:
                length = struct.unpack(">H", self.take(2))[0]
            elif length == 127:
                length = struct.unpack(">Q", self.take(8))[0]
            data = self.take(length)
            opcode = first & 15
            if opcode == 8:
                return ("close", struct.unpack(">H", data[:2])[0] if data else 0, data[2:].decode())
            if opcode == 9:
                self.send(data, 10)
            elif opcode != 10:
                whole += data
                kind = opcode or kind
                if first & 0x80:
                    return whole.decode() if kind == 1 else whole

    def close(self):
        self.socket.close()
