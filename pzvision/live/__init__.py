"""The running chain: cameras in; announcements, table page, overlay, voice and stored evenings out."""
