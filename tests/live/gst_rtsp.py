"""GStreamer's RTSP server playing a recording: ``/usr/bin/python3 gst_rtsp.py VIDEO PORT``.

Run by the system's Python, which has GStreamer's bindings (Debian: gir1.2-gst-rtsp-server-1.0, python3-gi,
gstreamer1.0-plugins-good, -bad). Prints its address once it serves. H.264 as it is in the file, no decoding.
"""

from __future__ import annotations

import sys

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtspServer  # noqa: E402

Gst.init(None)
video, port = sys.argv[1:]
factory = GstRtspServer.RTSPMediaFactory()
factory.set_launch(
    f'( filesrc location="{video}" ! qtdemux ! h264parse config-interval=-1 ! rtph264pay name=pay0 pt=96 )'
)
server = GstRtspServer.RTSPServer()
server.set_address("127.0.0.1")
server.set_service(port)
server.get_mount_points().add_factory("/table", factory)
if not server.attach(None):
    sys.exit(f"port {port} cannot be opened")
print(f"rtsp://127.0.0.1:{server.get_bound_port()}/table", flush=True)
GLib.MainLoop().run()
