/* What an observer is told, and for how long it stands: declarations, their lease (TTL and holder), a
 * new instance after everything was forgotten, the watch that ends with it, and a controller that
 * declares again. One home with a gate; the map holds what the controller last made of it.
 *
 * That two instances are the same is a flag: `same` of whatever names an instance, cleared when a new
 * one begins. A connection has two ends that learn of its end by themselves. TROUBLES bounds how often
 * the world changes, in any order.
 */
#ifndef TTL
#define TTL 2
#endif
#define PASSES 2                /* successThreshold; the failureThreshold is 1 */
#ifndef TROUBLES
#define TROUBLES 4
#endif

#ifdef M_WATCH_HOLDS_NOTHING    /* mutation: an open watch does not keep the declarations */
#define LAPSES true
#else
#ifdef M_NEVER_LAPSES           /* mutation: declarations have no lease */
#define LAPSES false
#else
#define LAPSES (!held)
#endif
#endif

mtype = { Away, Greeted, Watching, Declared };

/* The observer. */
bool told;
bool held;                      /* its end of a watch with a holder is open */
byte ttl;                       /* ticks before the declarations lapse */
bool gated;
byte passes;
bool proven;                    /* the gate was lifted by passes of this history */

/* The controller. */
mtype stage = Away;             /* of its session */
bool same;                      /* the instance of its session is the observer's */
bool stream;                    /* its end of the watch is open */
bool heard, reading, reading_proven;
bool wants = true;              /* it leads */
bool lets_go;                   /* it does no more, and tells the observer nothing yet */

bool map_gate;
bool home_up = true;
bool link = true;
byte troubles = TROUBLES;

byte silence;                   /* ghost: ticks without a holder since anybody declared or held */

inline renew() { ttl = TTL; silence = 0 }

inline new_instance() {
    told = false;
    gated = false;
    passes = 0;
    proven = false;
    ttl = 0;
    silence = 0;
    same = false
}

inline end_session() {
    stage = Away;
    stream = false;
    same = false
}

active proctype observer() {
    do
    /* Nobody has renewed. */
    :: atomic { told && ttl == 0 && LAPSES -> assert(!held && silence >= TTL);
        new_instance()
       }
    /* It notices that the other end of the watch has gone. */
    :: atomic { held && (!stream || !link) -> held = false; renew() }
    :: atomic { told && !home_up && !(gated && passes == 0) -> gated = true; passes = 0; proven = false }
    :: atomic { told && home_up && gated ->
        passes++;
        if
        :: passes >= PASSES -> gated = false; passes = 0; proven = true
        :: else
        fi
       }
    od
}

active proctype time() {
    do
    :: atomic { told && !held && (ttl > 0 || silence < TTL) ->
        if
        :: ttl > 0 -> ttl--
        :: else
        fi;
        if
        :: silence < TTL -> silence++
        :: else
        fi
       }
#ifdef M_WATCH_HOLDS_NOTHING
    :: atomic { told && held && ttl > 0 -> ttl-- }
#endif
    od
}

active proctype controller() {
    do
    /* Which instance this is. */
    :: atomic { wants && !lets_go && link && stage == Away -> stage = Greeted; same = true }
    /* The watch from there on; of another instance it says Gone, and the session is over. */
    :: atomic { link && stage == Greeted ->
        if
        :: same -> stage = Watching; stream = true; held = true;
            if
            :: told -> renew()
            :: else
            fi
        :: else -> end_session()
        fi
       }
    /* Declares; the answer names the instance. What is not known yet begins with what is stored. */
    :: atomic { link && stage == Watching ->
        if
#ifndef M_TELLS_ONCE            /* mutation: a new session does not declare anew */
        :: !told ->
            told = true;
#endif
#ifdef M_TELLS_ONCE
        :: !told && !heard && troubles == TROUBLES -> told = true;
#endif
#ifndef M_NO_RESTORE            /* mutation: the observer is not told of a gate that there is */
            gated = (heard -> reading : map_gate);
#endif
            proven = heard && reading_proven
        :: else
        fi;
        renew();
        if
        :: same && stream -> stage = Declared
        :: else -> end_session()
        fi
       }
    /* A reading: of another instance than that of the session it does not count. */
    :: atomic { link && stage == Declared && stream && held && (!same ||
                (told && (!heard || reading != gated || reading_proven != proven))) ->
        if
        :: same -> heard = true; reading = gated; reading_proven = proven
        :: else -> end_session()
        fi
       }
    /* The map. */
    :: atomic { wants && !lets_go && heard && map_gate != reading ->
        /* Promise 4. */
        assert(!map_gate || reading_proven);
        map_gate = reading
       }
    /* The stream has ended or says nothing: bookmarks are missing. */
#ifndef M_DEAF                  /* mutation: silence is not noticed */
    :: atomic { stage != Away && (!link || (stream && !held)) -> end_session() }
#endif
    /* It leads no more: it declares nothing, if it can; what it has heard counts no longer. */
    :: atomic { !wants && !lets_go ->
        lets_go = true;
        heard = false; reading = false; reading_proven = false;
        if
        :: link -> told = false; gated = false; passes = 0; proven = false; ttl = 0; silence = 0
        :: else
        fi;
        end_session()
       }
    od
}

/* Time goes on when nothing else does: without it a world at rest would not count as one for ever. */
active proctype rest() { do :: true -> true od }

active proctype world() {
    do
    :: atomic { troubles > 0 -> troubles--; link = !link }
    :: atomic { troubles > 0 -> troubles--; home_up = !home_up }
    /* The observer begins anew: connections end. */
    :: atomic { troubles > 0 -> troubles--; new_instance(); held = false }
    /* The controller begins anew. */
    :: atomic { troubles > 0 && wants -> troubles--; end_session(); heard = false; reading = false; reading_proven = false }
    :: atomic { troubles > 0 && wants -> troubles--; wants = false }
    od
}

#define OBSERVED (told && stage == Declared && same && stream && held)
/* Whatever has happened: who wants observations has them in the end, and reads what is true. */
ltl declared_again { (<>[] (wants && link)) -> <>[] (OBSERVED && heard && reading == gated && map_gate == !home_up) }
/* And nobody is observed for ever for a controller that is no more. */
ltl forgotten { (<>[] !wants) -> <>[] !told }
