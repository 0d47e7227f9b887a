package io.kubemirror.clients;

import static io.kubemirror.testing.scripted.ServedTypes.PODS;

import module java.base;

/** The informers that run through the scenario. */
enum ObservedInformer {
    FABRIC8_WEB_SOCKET(
            "list, then a watch by WebSocket",
            "pgrade: websocket",
            (url, namespace, pods) -> new Fabric8Informer(url, namespace, pods, false)),
    FABRIC8_WATCH_LIST(
            "watch-list by WebSocket",
            "sendInitialEvents=true",
            (url, namespace, pods) -> new Fabric8Informer(url, namespace, pods, true)),
    JAVA("list of any revision, then a watch", "resourceVersion=0", OfficialInformer::new),
    JAVA_SCRIPT(
            "list, then a watch",
            "watch=true",
            JavaScriptInformer::new,
            ExternalProgram.NODE,
            ExternalProgram.NPM),
    BROWSER(
            "list, then server-sent events",
            "text/event-stream",
            (url, namespace, pods) ->
                    new EventSourcePage(url, PODS.collectionPath(namespace), pods),
            ExternalProgram.CHROMIUM);

    /** Starts an informer. */
    @FunctionalInterface
    private interface Start {
        Informer of(URI url, String namespace, ReportedPods pods);
    }

    private final String mode;
    private final String sign;

    @SuppressWarnings("ImmutableEnumChecker") // None has a state.
    private final Start start;

    @SuppressWarnings("ImmutableEnumChecker") // List.of is immutable.
    private final List<ExternalProgram> programs;

    ObservedInformer(String mode, String sign, Start start, ExternalProgram... programs) {
        this.mode = mode;
        this.sign = sign;
        this.start = start;
        this.programs = List.of(programs);
    }

    /** Starts the informer, which reports its events. */
    Informer join(URI url, String namespace, ReportedPods pods) {
        return start.of(url, namespace, pods);
    }

    /** Whether all programs that it needs are installed. */
    boolean isHere() {
        return programs.stream().allMatch(ExternalProgram::isInstalled);
    }

    /** Skips or fails the test if a program that it needs is not installed. */
    void demand() {
        programs.forEach(ExternalProgram::demand);
    }

    /**
     * Whether it misses deletions while it is not watching, with any server: after a broken
     * connection fabric8 requests all objects again and keeps those that do not arrive.
     */
    boolean overlooksDeletions() {
        return this == FABRIC8_WATCH_LIST;
    }

    /** Whether it resumes after its last event, which may lead to a 410. */
    boolean resumes() {
        return this != FABRIC8_WATCH_LIST;
    }

    /** Returns how it reads, for the table. */
    String mode() {
        return mode;
    }

    /** Returns a part of its requests that shows that it reads this way. */
    String sign() {
        return sign;
    }
}
