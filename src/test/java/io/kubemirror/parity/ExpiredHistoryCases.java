package io.kubemirror.parity;

import static io.kubemirror.testing.Manifests.secret;

import module java.base;

/** Responses of servers whose history is short, or that are not synchronized yet. */
final class ExpiredHistoryCases {

    private static final String SECRETS = "/api/v1/namespaces/{ns}/secrets";
    private static final String MOONS = "/apis/example.com/v2/moons";

    private ExpiredHistoryCases() {}

    static List<ParityScenario> all() {
        return List.of(
                new ParityScenario(
                        "CO-10, CO-11", "a token outlives its state", ExpiredHistoryCases::tokens),
                new ParityScenario(
                        "LI-21", "a list of what is forgotten", ExpiredHistoryCases::exact),
                new ParityScenario(
                        "IN-1", "a type that is not there yet", ExpiredHistoryCases::initializing));
    }

    private static void tokens(ScenarioContext s) {
        for (String name : List.of("one", "three", "two")) {
            s.create(secret(s.namespace(), name));
        }
        s.settle(SECRETS);
        s.get(SECRETS + "?limit=1", ExpiredHistoryCases::now);
        s.create(secret(s.namespace(), "four"));
        s.create(secret(s.namespace(), "zero"));
        s.settle(SECRETS);
        String expired = SECRETS + "?limit=1&continue={token}";
        s.await(expired, 410);
        s.get(expired);
        s.get(SECRETS + "?limit=1&continue={token}", ExpiredHistoryCases::now);
        s.get(SECRETS + "?continue={token}", ExpiredHistoryCases::now);
    }

    private static void exact(ScenarioContext s) {
        for (String name : List.of("one", "two", "three")) {
            s.create(secret(s.namespace(), name));
        }
        s.settle(SECRETS);
        String exact = SECRETS + "?resourceVersionMatch=Exact&resourceVersion={r1}";
        s.await(exact, 410);
        s.get(exact);
        s.get(SECRETS + "?resourceVersion={r1}&limit=1");
        s.get(SECRETS + "?resourceVersion={r1}", ExpiredHistoryCases::now);
    }

    /** The server compacts, which moves its revision without an event. */
    private static String now(String answer) {
        return answer.replaceFirst("(?<=\"metadata\":\\{\"resourceVersion\":\")\\d+", "now")
                .replaceAll("(?<='rv':)\\d+", "now");
    }

    /** The last error and the growing delay differ between the two sides. */
    private static void initializing(ScenarioContext s) {
        for (String query :
                List.of(
                        "",
                        "?resourceVersion=0",
                        "?watch=1",
                        "?watch=1&resourceVersion=5&allowWatchBookmarks=1",
                        "?labelSelector=a%3Db",
                        "?limit=x",
                        "?labelSelector=,",
                        "?fieldSelector=x%3D1",
                        "?resourceVersionMatch=Exact")) {
            s.get(MOONS + query, ExpiredHistoryCases::withoutError);
        }
    }

    private static String withoutError(String answer) {
        return answer.replaceAll("(?<=\\(re\\)initializing)[^\"\\\\]*(\\\\.[^\"\\\\]*)*", "")
                .replaceAll("(?<=retry-after: |\"retryAfterSeconds\":)\\d+", "n");
    }
}
