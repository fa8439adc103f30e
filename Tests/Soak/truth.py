"""What a subscription must see: of every channel each message once and in order, or counted in a gap where it is
missing."""


class Truth:
    """Watches the lines of one subscription that has no filter. `last` has the last sequence number of each channel when
    the subscription began."""

    def __init__(self, name, last):
        self.name = name
        self.next = {channel: sequence + 1 for channel, sequence in last.items()}
        self.missing = {}
        self.received = self.lost = 0

    def see(self, line):
        """What is wrong with this line; None when nothing is."""
        channel = line.get("channel")
        if line["op"] == "gap":
            if line.get("count") is None or channel is None:
                return f"{self.name}: a gap without count or channel: {line}"
            self.missing[channel] = self.missing.get(channel, 0) + line["count"]
            self.lost += line["count"]
            return None
        if channel not in self.next:
            return f"{self.name}: {channel} does not match"
        expected = self.next[channel] + self.missing.pop(channel, 0)
        self.next[channel] = line["seq"] + 1
        self.received += 1
        if line["seq"] != expected:
            return f"{self.name}: {channel} {line['seq']} came, {expected} was due"
        return None

    def end(self, last):
        """What is wrong at the end, when `last` has the last sequence number of each channel."""
        for channel, begin in self.next.items():
            seen = begin - 1 + self.missing.get(channel, 0)
            if seen != last.get(channel, 0):
                yield f"{self.name}: {channel} ended at {seen}, not at {last.get(channel, 0)}"
