"""All rows, by name and in order."""
from . import rows_duty, rows_rate

ROWS = {
    "1": ("kept-alive poll, http, 1,000 homes, 64 slots, saturated", rows_rate.kept_alive),
    "2": ("fresh connection, http, 1,000 homes, 64 slots, saturated", rows_rate.fresh),
    "2b": ("fresh connection, 10,000 homes every 1 s: the duty of HAProxy's checks", rows_duty.checks),
    "3": ("kept-alive poll, https, 1,000 homes, 8 slots, saturated", rows_rate.kept_alive_tls),
    "4": ("fresh https with full verification, 1,000 homes, 64 slots, saturated", rows_rate.fresh_tls),
    "6": ("rhythm: 10,000 homes every 1 s, 64 slots, one core", rows_duty.rhythm),
    "7": ("two reactors, otherwise as row 1", rows_rate.reactors),
    "12": ("growth: 10,000 fresh probes a second for any number of homes", rows_duty.growth),
}
