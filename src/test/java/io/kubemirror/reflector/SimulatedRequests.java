package io.kubemirror.reflector;

import module java.base;

/** The requests that a simulated server has received, and their times. */
final class SimulatedRequests {

    private final List<Request> requests = new ArrayList<>();

    private record Request(Instant when, FaultPlan.FaultVerb verb) {}

    void count(Instant when, FaultPlan.FaultVerb verb) {
        requests.add(new Request(when, verb));
    }

    int size() {
        return requests.size();
    }

    /** The largest number of requests of some kind within any minute. */
    int mostInAMinute(FaultPlan.FaultVerb first, FaultPlan.FaultVerb... rest) {
        Set<FaultPlan.FaultVerb> verbs = EnumSet.of(first, rest);
        List<Instant> times =
                requests.stream()
                        .filter(request -> verbs.contains(request.verb()))
                        .map(Request::when)
                        .toList();
        int most = 0;
        int from = 0;
        for (int to = 0; to < times.size(); to++) {
            while (times.get(from).isBefore(times.get(to).minus(Duration.ofMinutes(1)))) {
                from++;
            }
            most = Math.max(most, to - from + 1);
        }
        return most;
    }
}
