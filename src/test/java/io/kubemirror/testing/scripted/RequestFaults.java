package io.kubemirror.testing.scripted;

import module java.base;

import io.kubemirror.testing.RequestLatch;

import tools.jackson.databind.node.ObjectNode;

/** The faults that affect one request: any number of delays and disturbances. */
final class RequestFaults {

    private final List<ServerFault> faults;

    private RequestFaults(List<ServerFault> faults) {
        this.faults = faults;
    }

    /** Takes the armed faults that match the request. */
    static RequestFaults of(ReceivedRequest request, List<ArmedFault> armed) {
        List<ServerFault> met = new ArrayList<>();
        for (ArmedFault one : armed) {
            // After anything but a delay, a second fault meets the next request.
            boolean settled = !met.isEmpty() && !(met.getLast() instanceof ServerFault.Delay);
            if (!settled && one.appliesTo(request)) {
                met.add(one.fault());
            }
        }
        return new RequestFaults(met);
    }

    /** Applies delays and disturbances, and returns whether the request has been answered. */
    boolean settles(ScriptedResponse answer) throws IOException {
        boolean settled = false;
        for (ServerFault fault : faults) {
            settled |= settles(fault, answer);
        }
        return settled;
    }

    private static boolean settles(ServerFault fault, ScriptedResponse answer) throws IOException {
        return switch (fault) {
            case ServerFault.Respond respond -> {
                send(respond, answer);
                yield true;
            }
            case ServerFault.Stream(var pieces) -> {
                stream(pieces, answer);
                yield true;
            }
            case ServerFault.Refuse _ -> {
                answer.cut();
                yield true;
            }
            case ServerFault.Delay(RequestLatch requestLatch) -> {
                requestLatch.pass();
                yield false;
            }
            case ServerFault.CutAfterBytes(long bytes) -> {
                answer.allow(bytes);
                yield false;
            }
            case ServerFault.Gzipped _ -> {
                answer.compress();
                yield false;
            }
            case ServerFault.ChangeBody _, ServerFault.OnStream _ -> false;
        };
    }

    private static void send(ServerFault.Respond respond, ScriptedResponse answer)
            throws IOException {
        if (respond.retryAfterSeconds() > 0) {
            answer.header("Retry-After", Integer.toString(respond.retryAfterSeconds()));
        }
        answer.send(respond.code(), respond.contentType(), respond.body());
    }

    private static void stream(IntFunction<String> pieces, ScriptedResponse answer)
            throws IOException {
        answer.begin(answer::cut);
        int count = 0;
        for (String piece = pieces.apply(count); !piece.isEmpty(); piece = pieces.apply(count)) {
            answer.chunk(piece);
            count++;
        }
        answer.end();
    }

    /** Returns the body of a list with the faults applied. */
    ObjectNode alter(ObjectNode body) {
        ObjectNode altered = body;
        for (ServerFault fault : faults) {
            if (fault instanceof ServerFault.ChangeBody(var change)) {
                altered = change.apply(altered);
            }
        }
        return altered;
    }

    /** Returns what happens to a stream first. */
    List<OpenWatch.Step> steps() {
        List<OpenWatch.Step> steps = new ArrayList<>();
        for (ServerFault fault : faults) {
            if (fault instanceof ServerFault.OnStream(var some)) {
                steps.addAll(some);
            }
        }
        return steps;
    }
}
