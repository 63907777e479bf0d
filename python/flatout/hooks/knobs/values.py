"""Which values a knob takes: each returns a reason, or None where the value is one."""


def wrong_count(value, least, most):
    if type(value) is int and least <= value <= most:
        return None
    return "its value must be a whole number from %d to %d" % (least, most)


def wrong_switch(value):
    return None if type(value) is bool else "its value must be true or false"
