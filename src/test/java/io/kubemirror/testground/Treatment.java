package io.kubemirror.testground;

import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/** All faults that one request meets: any number of delays and of disturbances. */
final class Treatment {

    private final List<Fault> faults;

    private Treatment(List<Fault> faults) {
        this.faults = faults;
    }

    /** Uses up the armed faults that the request meets. */
    static Treatment of(ReceivedRequest request, List<ArmedFault> armed) {
        List<Fault> met = new ArrayList<>();
        for (ArmedFault one : armed) {
            boolean settled = !met.isEmpty() && isFinal(met.getLast());
            if (!settled && one.strikes(request)) {
                met.add(one.fault());
            }
        }
        return new Treatment(met);
    }

    /**
     * Whether nothing else can happen to the request, so that a second one meets the next fault.
     */
    private static boolean isFinal(Fault fault) {
        return switch (fault) {
            case Fault.Delay _ -> false;
            case Fault.Respond _,
                    Fault.Stream _,
                    Fault.Refuse _,
                    Fault.Alter _,
                    Fault.CutAfterBytes _,
                    Fault.Gzipped _,
                    Fault.OnStream _ ->
                    true;
        };
    }

    /** Waits and disturbs as told; tells whether there is nothing left to answer. */
    boolean settles(Answer answer) throws IOException {
        boolean settled = false;
        for (Fault fault : faults) {
            settled |= settles(fault, answer);
        }
        return settled;
    }

    private static boolean settles(Fault fault, Answer answer) throws IOException {
        return switch (fault) {
            case Fault.Respond respond -> {
                send(respond, answer);
                yield true;
            }
            case Fault.Stream(var pieces) -> {
                stream(pieces, answer);
                yield true;
            }
            case Fault.Refuse _ -> {
                answer.cut();
                yield true;
            }
            case Fault.Delay(Gate gate) -> {
                gate.pass();
                yield false;
            }
            case Fault.CutAfterBytes(long bytes) -> {
                answer.allow(bytes);
                yield false;
            }
            case Fault.Gzipped _ -> {
                answer.compress();
                yield false;
            }
            case Fault.Alter _, Fault.OnStream _ -> false;
        };
    }

    private static void send(Fault.Respond respond, Answer answer) throws IOException {
        if (respond.retryAfterSeconds() > 0) {
            answer.header("Retry-After", Integer.toString(respond.retryAfterSeconds()));
        }
        answer.send(respond.code(), respond.contentType(), respond.body());
    }

    private static void stream(IntFunction<String> pieces, Answer answer) throws IOException {
        answer.begin(answer::cut);
        int count = 0;
        for (String piece = pieces.apply(count); !piece.isEmpty(); piece = pieces.apply(count)) {
            answer.chunk(piece);
            count++;
        }
        answer.end();
    }

    /** The body of a list as it shall be sent. */
    ObjectNode alter(ObjectNode body) {
        ObjectNode altered = body;
        for (Fault fault : faults) {
            if (fault instanceof Fault.Alter(var change)) {
                altered = change.apply(altered);
            }
        }
        return altered;
    }

    /** What shall happen on a stream. */
    StreamScript script() {
        for (Fault fault : faults) {
            if (fault instanceof Fault.OnStream(int frames, var steps)) {
                return new StreamScript(frames, steps);
            }
        }
        return StreamScript.NOTHING;
    }
}
