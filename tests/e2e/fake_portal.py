#!/usr/bin/env python3
"""A desktop's portal for files that shows nothing: it prints what it is asked for, one JSON object a line, and
answers as it is told on stdin. Run by dialog_test.py, with DBUS_SESSION_BUS_ADDRESS set.

    fake_portal.py [MODE]   MODE: silent    never answers a call
                                  early     responds before it has named the request
                                  files-off has no dialog for files
stdin, one JSON object a line: {"response": 0, "uris": [...]}: how the dialog that was opened last ends.
"""

import json
import sys

from gi.repository import Gio, GLib

NAME = "org.freedesktop.portal.Desktop"
PATH = "/org/freedesktop/portal/desktop"
REQUEST = "org.freedesktop.portal.Request"
CHOOSER = """<node><interface name="org.freedesktop.portal.FileChooser">
  <method name="OpenFile"><arg type="s" direction="in"/><arg type="s" direction="in"/>
    <arg type="a{sv}" direction="in"/><arg type="o" direction="out"/></method>
  <method name="SaveFile"><arg type="s" direction="in"/><arg type="s" direction="in"/>
    <arg type="a{sv}" direction="in"/><arg type="o" direction="out"/></method>
</interface></node>"""
REQUESTS = f'<node><interface name="{REQUEST}"><method name="Close"/></interface></node>'

mode = sys.argv[1] if len(sys.argv) > 1 else ""
loop = GLib.MainLoop()
opened = []  # (sender, handle)


def say(**what):
    print(json.dumps(what), flush=True)


def respond(connection, sender, handle, response, uris):
    results = {"uris": GLib.Variant("as", uris)} if response == 0 else {}
    # Something unknown comes first: later versions may send more.
    connection.emit_signal(sender, handle, REQUEST, "Response", GLib.Variant(
        "(ua{sv})", (response, {"choices": GLib.Variant("a(ss)", [("a", "b")]), **results})))


def on_close(connection, sender, path, interface, method, arguments, invocation):
    say(closed=path)
    invocation.return_value(None)


def on_gone(connection, sender, path, interface, signal, arguments):
    name, _, now = arguments.unpack()
    if not now and any(name == sender for sender, _ in opened):
        say(gone=name)


def on_call(connection, sender, path, interface, method, arguments, invocation):
    parent, title, options = arguments.unpack()
    texts = {key: bytes(value).decode() if key == "current_folder" else value for key, value in options.items()}
    say(method=method, parent=parent, title=title, options=texts)
    if mode == "silent":
        return
    handle = f"{PATH}/request/{sender[1:].replace('.', '_')}/{options['handle_token']}"
    opened.append((sender, handle))
    if mode == "early":
        respond(connection, sender, handle, 1, [])
    else:
        # What is meant for others must not be taken for an answer.
        respond(connection, sender, f"{PATH}/request/1_1/another", 0, ["file:///another"])
        connection.register_object(handle, Gio.DBusNodeInfo.new_for_xml(REQUESTS).interfaces[0], on_close, None, None)
    invocation.return_value(GLib.Variant("(o)", (handle,)))


def on_stdin(channel, condition, connection):
    line = sys.stdin.readline()
    if not line:
        loop.quit()
        return False
    told = json.loads(line)
    respond(connection, *opened[-1], told["response"], told.get("uris", []))
    return True


def main():
    connection = Gio.bus_get_sync(Gio.BusType.SESSION)
    if mode != "files-off":
        connection.register_object(PATH, Gio.DBusNodeInfo.new_for_xml(CHOOSER).interfaces[0], on_call, None, None)
    connection.signal_subscribe("org.freedesktop.DBus", "org.freedesktop.DBus", "NameOwnerChanged", None, None,
                                Gio.DBusSignalFlags.NONE, on_gone)
    Gio.bus_own_name_on_connection(connection, NAME, Gio.BusNameOwnerFlags.NONE,
                                   lambda *_: say(ready=True), lambda *_: loop.quit())
    GLib.io_add_watch(GLib.IOChannel.unix_new(0), GLib.PRIORITY_DEFAULT, GLib.IO_IN | GLib.IO_HUP, on_stdin, connection)
    loop.run()


main()
