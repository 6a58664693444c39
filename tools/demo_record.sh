# What `tools/demo --record` does; sourced by tools/demo, never run.

# The life of worker-b: what it does from which second on, and how that is told.
write_life() {
    cat > "$work/life.json" << 'LIFE'
[{"at": "0s",  "homes": "worker-a", "poll": {"report": 4}},
 {"at": "0s",  "homes": "worker-b", "poll": {"report": 4}},
 {"at": "6s",  "homes": "worker-b", "poll": {"report": [1, 4]}},
 {"at": "11s", "homes": "worker-b", "poll": {"report": 2}},
 {"at": "19s", "homes": "worker-b", "poll": {"report": 4}},
 {"at": "25s", "homes": "worker-b", "poll": {"report": [1, 4], "cycle": true}},
 {"at": "32s", "homes": "worker-b", "poll": {"report": 4}},
 {"at": "34s", "homes": "worker-b", "probe": {"status": 503}},
 {"at": "41s", "homes": "worker-b", "probe": {"status": 200}},
 {"at": "46s", "homes": "worker-b", "poll": {"gone": true}},
 {"at": "49s", "homes": "worker-b", "poll": {"report": 4}}]
LIFE
    life=(
        '0 reports 4 replicas, and its probes pass'
        '6 reports 1 once: a hiccup'
        '11 falls to 2 replicas'
        '19 has 4 again'
        '25 flaps between 1 and 4'
        '32 is steady again'
        '34 answers its probes with 503, until it is gated'
        '41 passes again, and the gate lifts'
        '46 has no reporter: no ceiling, and no harm'
        '49 is back'
    )
    life_seconds=53
}

write_record_services() {
    "$homesim_program" --print-services --home worker-a --home worker-b --port "$homes_port" \
        --per-service 2 --period 1s --timeout 500ms --max-age 4s > "$work/services.json"
}

start_recording() {
    write_life
    start homesim "$homesim_program" --home worker-a --home worker-b --script "$work/life.json"
    life_began=$SECONDS
    homes_port=$(said homesim 's/^ready homes=http:.*:\([0-9]*\) control=.*/\1/p')
    write_record_services
    write_config
    start observer "$observer_program" serve --listen 127.0.0.1:0 --allow-loopback --config "$work/config.json" \
        --services "$work/services.json" --record "$recording"
    observer=http://127.0.0.1:$(said observer 's/.* serving .*listen=127\.0\.0\.1:\([0-9]*\).*/\1/p')
    until_answers "$observer/readyz" 10
}

tell_life() {
    local at what line elapsed next=0
    while true; do
        check_children
        elapsed=$((SECONDS - life_began))
        while [ $next -lt ${#life[@]} ]; do
            line=${life[$next]} at=${line%% *} what=${line#* }
            [ "$at" -le $elapsed ] || break
            printf '   %2d s  worker-b %s\n' "$at" "$what"
            next=$((next + 1))
        done
        [ $elapsed -lt $life_seconds ] || break
        sleep 0.2
    done
}

# The observer writes what it still holds when it is told to end.
end_recording() {
    kill "${children[1]}"
    end_within_5_s "${children[1]}"
    [ -s "$recording" ] || fail "nothing was recorded in $recording"
}

shown_path() {
    case $1 in
        "$root"/*) printf '%q\n' "${1#"$root"/}" ;;
        *) printf '%q\n' "$1" ;;
    esac
}

record() {
    headline "Recording $life_seconds s in the life of worker-b"
    tell_life
    end_recording
    local file
    file=$(shown_path "$recording")
    headline "$(grep -c . "$recording") events are in $file"
    explain 'Which samples, quorum and thresholds would have been better? Compare some, and look at tuning.svg:' '' \
        "  build/src/observer/ome-observer replay --plot tuning.svg --home worker-b --plan 4 \\" \
        '    --policy deploy/examples/tuning/quick.json --policy deploy/examples/tuning/calm.json \' \
        "    $file"
}
