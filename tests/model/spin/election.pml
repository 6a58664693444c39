/* Who leads: the Lease of src/kube/election.cpp, between two controllers that may be slow, stopped for
 * any time, ended and started anew, over a network that delays and loses requests and answers.
 *
 * Times are whole ticks; a process may take any number of them for any step. Versions of the Lease are
 * no numbers but flags: `knows` is cleared for everybody when the Lease is written, and `fresh` of what
 * is on its way. So a write is taken exactly when nothing was written since its writer looked.
 */
#define NOBODY 9                /* holder: released, or there is no Lease */
#define ENDED 8                 /* holder: a process that is no more */

#ifdef M_SHORT_WAIT             /* mutation: others wait less than a lead lasts */
#define LEASE_DURATION 1
#else
#define LEASE_DURATION 3
#endif
#define RENEW_DEADLINE 2
#define NO_DEADLINE 4           /* of the mutation: a request that may take longer than the lead */

#ifdef M_CLOCK_STOPS             /* mutation: the clock of the lead does not count suspended time */
#define COUNTS(i) (!c[i].stopped)
#else
#define COUNTS(i) true
#endif

mtype = { None, Asked, Stored };

typedef Controller {
    byte lead;                  /* ticks left of its lead, by its own clock */
    bool knows;                 /* what it saw of the Lease is what is stored */
    byte holder;                /* as it saw it */
    byte wait;                  /* ticks before what it saw counts as over */
    mtype write;                /* of the Lease: None, Asked, Stored with the answer on its way */
    bool releasing;             /*   it gives the Lease back */
    bool fresh;                 /*   nothing was written since it was decided */
    byte age;                   /*   ticks since it was asked for */
    bool sending;               /* a write of a map is on its way */
    byte rest;                  /*   ticks before its deadline */
    bool stood_still;           /*   its sender was stopped since */
    bool stopped                /* SIGSTOP, or its machine sleeps */
};

Controller c[2];
byte holder = NOBODY;

/* Promise 7: what the election is for. */
#define ONE_LEADS (!(c[0].lead > 0 && c[1].lead > 0))

inline store(who) {
    holder = who;
    c[0].knows = false;
    c[1].knows = false;
    c[0].fresh = false;
    c[1].fresh = false
}

inline end_write() {
    c[me].write = None;
    c[me].releasing = false;
    c[me].fresh = false;
    c[me].age = 0
}

inline end_request() {
    c[me].sending = false;
    c[me].rest = 0;
    c[me].stood_still = false
}

inline begin_write(gives_back) {
    c[me].write = Asked;
    c[me].releasing = gives_back;
    c[me].fresh = c[me].knows;
    c[me].age = 0
}

proctype controller(byte me) {
    c[me].write = None;
    do
    /* Looks. A record that is another than before begins to count anew. */
    :: atomic { !c[me].stopped && c[me].write == None && !c[me].knows ->
        c[me].knows = true;
        c[me].holder = holder;
        c[me].wait = LEASE_DURATION;
        if
        :: holder != me -> c[me].lead = 0
        :: else
        fi
       }
    /* Creates, takes or renews. A leader renews what it knows; if that is not so any more, the write
       is refused. */
    :: atomic { !c[me].stopped && c[me].write == None && (c[me].knows || c[me].lead > 0) &&
                (c[me].holder == me || c[me].holder == NOBODY || c[me].wait == 0) ->
        begin_write(false)
       }
    /* Ends in order: nothing of its own is written any more; the lead goes, and then the Lease. */
    :: atomic { !c[me].stopped && c[me].write == None && !c[me].sending && c[me].lead > 0 ->
#ifndef M_RELEASE_WHILE_LEADING
        c[me].lead = 0;
#endif
        begin_write(true)
       }
    /* The answer to a write of the Lease. The lead counts from when it was asked for. */
    :: atomic { !c[me].stopped && c[me].write == Stored ->
        if
        :: c[me].releasing -> c[me].lead = 0
        :: else ->
#ifdef M_COUNT_FROM_ANSWER
            c[me].lead = RENEW_DEADLINE
#else
            c[me].lead = RENEW_DEADLINE - c[me].age
#endif
        fi;
        end_write();
        assert(ONE_LEADS)
       }
    /* Writes a map: the lease is looked at before it, and its rest is the request's deadline. */
    :: atomic { !c[me].stopped && !c[me].sending && c[me].lead > 0 ->
        assert(c[1 - me].lead == 0);
        c[me].sending = true;
        c[me].stood_still = false;
#ifdef M_LONG_REQUEST
        c[me].rest = NO_DEADLINE
#else
        c[me].rest = c[me].lead
#endif
       }
    od
}

/* The API server and the network between it and one controller. */
proctype server(byte me) {
    do
    :: atomic { c[me].write == Asked && c[me].fresh ->
        if
        :: c[me].releasing -> store(NOBODY)
        :: else -> store(me)
        fi;
        c[me].write = Stored;
        c[me].knows = true;     /* the answer will say so, unless it is lost */
        c[me].holder = holder
       }
    /* A conflict: it looks. */
    :: atomic { c[me].write == Asked && !c[me].fresh -> end_write(); c[me].knows = false }
    :: atomic { c[me].write == Asked -> end_write() }                            /* lost */
    :: atomic { c[me].write == Stored -> end_write(); c[me].knows = false }      /* the answer is lost */
    :: atomic { c[me].sending && c[me].rest > 0 ->
        /* What lands while another leads is of one that stood still since it looked. */
        assert(c[1 - me].lead == 0 || c[me].stood_still);
        end_request()
       }
    :: atomic { c[me].sending -> end_request() }
    od
}

inline pass(i) {
    if
    :: c[i].lead > 0 && COUNTS(i) -> c[i].lead--
    :: else
    fi;
    if
    :: c[i].wait > 0 -> c[i].wait--
    :: else
    fi;
    if
    :: c[i].write != None && c[i].age < RENEW_DEADLINE -> c[i].age++
    :: else
    fi;
    /* The clock of the deadlines of requests does stop. */
    if
    :: c[i].rest > 0 && !c[i].stopped -> c[i].rest--
    :: else
    fi
}

active proctype time() {
    do
    :: atomic { pass(0); pass(1) }
    od
}

proctype fate(byte me) {
    do
    :: atomic { !c[me].stopped -> c[me].stopped = true; c[me].stood_still = c[me].sending }
    :: atomic { c[me].stopped -> c[me].stopped = false }
    /* Ends without a word, and is started anew as somebody else. */
    :: atomic { true ->
        if
        :: holder == me -> holder = ENDED
        :: else
        fi;
        c[me].lead = 0;
        c[me].knows = false;
        c[me].holder = ENDED;
        c[me].wait = 0;
        c[me].stopped = false;
        end_write();
        end_request()
       }
    od
}

init {
    atomic {
        c[0].write = None; c[1].write = None;
        c[0].holder = ENDED; c[1].holder = ENDED;
        run controller(0); run controller(1);
        run server(0); run server(1);
        run fate(0); run fate(1)
    }
}
