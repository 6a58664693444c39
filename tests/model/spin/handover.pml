/* What a lead writes: one map of one home with a gate and a drain, two controllers, each with an
 * observer of its own. At most one leads at a time (election.pml shows it); but what was sent while
 * leading may reach the server at any time later, also while another leads (promise 7).
 *
 * Versions are flags, as in election.pml: of what a controller has read (`map_fresh`) and of what is
 * on its way (`fresh`). TROUBLES bounds how often the world changes, in any order.
 */
#define NOBODY 2
#define PASSES 2                /* successThreshold; the failureThreshold is 1 */
#ifndef TROUBLES
#define TROUBLES 4
#endif

/* The annotation about drains: none, one for this home, one that nobody can read. */
#define NO_DRAIN 0
#define DRAIN 1
#define MALFORMED 2

typedef Controller {
    bool listed;                /* it has read everything since its lead began */
    byte drain;                 /* the annotation as read, */
    bool this_drain;            /*   and it is the drain that is there now */
    bool gate;                  /* the map as read, */
    bool zero;
    bool map_fresh;             /*   and it is what is stored */
    bool sent;                  /* a write of its own has not come to an end that it knows */
    bool heard;                 /* a reading of its observer, from this lead */
    bool reading;               /*   it says gated */
    bool reading_proven         /*   the gate was lifted by passes of this history */
};

typedef Observer {
    bool told;                  /* the service is declared, there is a history */
    bool gated;
    byte passes;
    bool proven
};

typedef Request {               /* a write on its way */
    bool used;
    bool by;
    bool waited;                /* its sender waits for the answer */
    bool fresh;
    bool gate;
    bool zero;
    bool this_drain;
    bool proven;
    bool puts_right             /* was decided while late_gate stood */
};

Controller c[2];
Observer o[2];
Request r[2];
byte leader = NOBODY;
bool map_gate, map_zero;        /* what is stored */
byte drain = NO_DRAIN;
bool reached;                   /* the drain that is there now has reached the map */
bool late_gate;                 /* the stored gate landed behind the look of the lead that there is */
bool home_up = true;
byte troubles = TROUBLES;

inline forget_cache(i) {
#ifndef M_KEEP_CACHE            /* mutation: a new lead goes on with what the one before had read */
    c[i].listed = false;
    c[i].drain = NO_DRAIN;
    c[i].this_drain = false;
    c[i].gate = false;
    c[i].zero = false;
    c[i].map_fresh = false;
#endif
    c[i].sent = false;
    c[i].heard = false;
    c[i].reading = false;
    c[i].reading_proven = false
}

inline forget_history(i) {
    o[i].told = false;
    o[i].gated = false;
    o[i].passes = 0;
    o[i].proven = false
}

/* A lead ends, in whatever way: what is on its way has nobody any more who waits for it. */
inline end_lead() {
    forget_cache(leader);
#ifndef M_KEEP_HISTORY          /* mutation: an observer keeps its history while another leads */
    forget_history(leader);
#endif
    r[0].waited = r[0].waited && r[0].by != leader;
    r[1].waited = r[1].waited && r[1].by != leader;
    leader = NOBODY
}

inline read_map(i) {
    c[i].gate = map_gate;
    c[i].zero = map_zero;
    c[i].map_fresh = true
}

inline read_service(i) {
    c[i].drain = drain;
    c[i].this_drain = (drain != NO_DRAIN)
}

#ifdef M_NO_STORED_GATE         /* mutation: without a reading, what is stored counts for nothing */
#define WANTED_GATE (c[me].heard && c[me].reading)
#else
#define WANTED_GATE ((c[me].heard && c[me].reading) || (!c[me].heard && c[me].gate))
#endif
#define PROVEN (c[me].heard && c[me].reading_proven)
#define WANTED_ZERO (c[me].drain == DRAIN)
#ifdef M_MALFORMED_UNDRAINS     /* mutation: what cannot be read is no drain */
#define FROZEN false
#else
#define FROZEN (c[me].drain == MALFORMED)
#endif
#define DIFFERENT (WANTED_GATE != c[me].gate || WANTED_ZERO != c[me].zero)

inline send(slot) {
    r[slot].used = true;
    r[slot].by = me;
    r[slot].waited = true;
    r[slot].fresh = c[me].map_fresh;
    r[slot].gate = WANTED_GATE;
    r[slot].zero = WANTED_ZERO;
    r[slot].this_drain = c[me].this_drain;
    r[slot].proven = PROVEN;
    r[slot].puts_right = late_gate;
    c[me].sent = true
}

proctype controller(byte me) {
    do
    :: atomic { leader == me && !c[me].listed -> c[me].listed = true; late_gate = false; read_service(me); read_map(me) }
    /* The watches, whenever they come. */
    :: atomic { leader == me && c[me].listed && (c[me].drain != drain || c[me].this_drain != (drain != NO_DRAIN)) ->
        read_service(me)
       }
#ifndef M_NO_LOOK               /* mutation: what others write into the map is not looked at */
    :: atomic { leader == me && c[me].listed && !c[me].map_fresh && !c[me].sent -> read_map(me) }
#endif
    /* Declares the service with its own last reading, or what is stored: a history begins there. */
    :: atomic { leader == me && c[me].listed && !o[me].told ->
        o[me].told = true;
#ifndef M_NO_RESTORE            /* mutation: the observer is not told of a gate that there is */
        o[me].gated = (c[me].heard -> c[me].reading : c[me].gate);
#endif
        o[me].proven = c[me].heard && c[me].reading_proven
       }
    :: atomic { leader == me && o[me].told && (!c[me].heard || c[me].reading != o[me].gated ||
                                               c[me].reading_proven != o[me].proven) ->
        c[me].heard = true;
        c[me].reading = o[me].gated;
        c[me].reading_proven = o[me].proven
       }
    :: atomic { leader == me && c[me].listed && !c[me].sent && !FROZEN && DIFFERENT && (!r[0].used || !r[1].used) ->
        if
        :: !r[0].used -> send(0)
        :: else -> send(1)
        fi
       }
    od
}

inline end_request(slot) {
    if
    :: r[slot].waited -> c[r[slot].by].sent = false
    :: else
    fi;
    r[slot].used = false; r[slot].by = 0; r[slot].waited = false; r[slot].fresh = false;
    r[slot].gate = false; r[slot].zero = false; r[slot].this_drain = false; r[slot].proven = false; r[slot].puts_right = false
}

inline store(slot) {
    /* Promise 4: a gate that is stored is lifted by passes and by nothing else, but for one that a
       stopped leader landed after the new one had looked: that is put right (promise 7). */
    assert(!map_gate || r[slot].gate || r[slot].proven || r[slot].puts_right);
    /* Promise 5: a drain that has reached the map holds. */
    assert(!reached || r[slot].zero);
    late_gate = r[slot].gate && ((late_gate && map_gate) || (!map_gate && !r[slot].waited && leader != NOBODY && c[leader].listed));
    map_gate = r[slot].gate;
    map_zero = r[slot].zero;
    reached = reached || (drain != NO_DRAIN && r[slot].zero && r[slot].this_drain);
    c[0].map_fresh = false;
    c[1].map_fresh = false;
    r[0].fresh = false;
    r[1].fresh = false;
    if
    :: r[slot].waited -> read_map(r[slot].by)   /* the answer is what is stored */
    :: r[slot].waited -> skip                   /* the answer is lost */
    :: else
    fi
}

proctype server(byte slot) {
    do
    :: atomic { r[slot].used ->
        if
#ifdef M_NO_VERSION             /* mutation: writes carry no resourceVersion */
        :: true -> store(slot)
#else
        :: r[slot].fresh -> store(slot)
        :: !r[slot].fresh ->                    /* a conflict: read anew */
            if
            :: r[slot].waited -> read_map(r[slot].by)
            :: else
            fi
#endif
        fi;
        end_request(slot)
       }
    :: atomic { r[slot].used && troubles > 0 -> troubles--; end_request(slot) }   /* lost */
    od
}

proctype observer(byte me) {
    do
    :: atomic { o[me].told && !home_up && !(o[me].gated && o[me].passes == 0) ->
        o[me].gated = true;
        o[me].passes = 0;
        o[me].proven = false
       }
    :: atomic { o[me].told && home_up && o[me].gated ->
        o[me].passes++;
        if
        :: o[me].passes >= PASSES -> o[me].gated = false; o[me].passes = 0; o[me].proven = true
        :: else
        fi
       }
    od
}

active proctype election() {
    do
    :: atomic { leader == NOBODY -> leader = 0 }
    :: atomic { leader == NOBODY -> leader = 1 }
    od
}

inline new_drain(value) {
    troubles--;
    drain = value
}

inline no_drain() {
    troubles--;
    drain = NO_DRAIN;
    reached = false;
    c[0].this_drain = false; c[1].this_drain = false;
    r[0].this_drain = false; r[1].this_drain = false
}

/* Time goes on when nothing else does: without it a world at rest would not count as one for ever. */
active proctype rest() { do :: true -> true od }

active proctype world() {
    do
    :: atomic { troubles > 0 && leader != NOBODY -> troubles--; end_lead() }
    :: atomic { troubles > 0 -> troubles--; home_up = !home_up }
    /* An observer begins anew; gates stay as last known until it has been told again. */
    :: atomic { troubles > 0 && o[0].told -> troubles--; forget_history(0) }
    :: atomic { troubles > 0 && o[1].told -> troubles--; forget_history(1) }
    :: atomic { troubles > 0 && drain != DRAIN -> new_drain(DRAIN) }
    :: atomic { troubles > 0 && drain == DRAIN -> new_drain(MALFORMED) }
    :: atomic { troubles > 0 && drain != NO_DRAIN -> no_drain() }
    od
}

init {
    atomic {
        run controller(0); run controller(1);
        run server(0); run server(1);
        run observer(0); run observer(1)
    }
}

/* Promise 7: whatever landed, the map is put right and stays so, once the world is quiet. */
#define RIGHT (leader != NOBODY && (drain == MALFORMED || (map_zero == (drain == DRAIN) && map_gate == !home_up)))
ltl corrected { <>[] RIGHT }
