"""All rows, by name and in order."""
from . import rows_rate

ROWS = {
    "1": ("kept-alive poll, http, 1,000 homes, 64 slots, saturated", rows_rate.kept_alive),
    "2": ("fresh connection, http, 1,000 homes, 64 slots, saturated", rows_rate.fresh),
    "3": ("kept-alive poll, https, 1,000 homes, 64 slots, saturated", rows_rate.kept_alive_tls),
    "4": ("fresh https with full verification, 1,000 homes, 64 slots, saturated", rows_rate.fresh_tls),
    "7": ("two reactors, otherwise as row 1", rows_rate.reactors),
}
