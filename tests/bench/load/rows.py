"""All rows, by name and in order."""
from . import rows_api, rows_controller, rows_duty, rows_memory, rows_rate, rows_trouble

ROWS = {
    "1": ("kept-alive poll, http, 1,000 homes, 64 slots, saturated", rows_rate.kept_alive),
    "2": ("fresh connection, http, 1,000 homes, 64 slots, saturated", rows_rate.fresh),
    "2b": ("fresh connection, 10,000 homes every 1 s: the duty of HAProxy's checks", rows_duty.checks),
    "3": ("kept-alive poll, https, 1,000 homes, 8 slots, saturated", rows_rate.kept_alive_tls),
    "4": ("fresh https with full verification, 1,000 homes, 64 slots, saturated", rows_rate.fresh_tls),
    "5": ("memory of an idle home", rows_memory.idle_homes),
    "6": ("rhythm: 10,000 homes every 1 s, 64 slots, one core", rows_duty.rhythm),
    "7": ("two reactors on one core, http, 8,000 homes, 64 slots, saturated", rows_rate.reactors),
    "8": ("half of the homes stall until their timeout", rows_trouble.half_stalls),
    "9": ("start: 10,000 homes declared at once, 64 slots", rows_api.start),
    "10": ("readers: lists, watches with 1,000 changes a second, scrapes", rows_api.readers),
    "11": ("controller: render, and a start with 10,000 services", rows_controller.controller),
    "12": ("growth: 10,000 fresh probes a second for any number of homes", rows_duty.growth),
}
