package io.kubemirror.pairs;

import module java.base;

/** What a configuration, or the course of a run, chooses. The first value is the plain one. */
enum Factor {
    ACCESS("open", "review"),
    PASS_THROUGH("off", "own", "client"),
    READS("cache", "verify"),
    PERSISTENCE("off", "on"),
    DEMAND("always", "on-demand"),
    NAMESPACES("all", "each"),
    KEEP("off", "on"),
    DROP("off", "on"),
    METADATA_ONLY("off", "on"),
    HTTP2("off", "on"),
    TLS("off", "on"),
    SHARDS("off", "on"),
    STREAM("off", "on"),
    SOURCE("api-server", "etcd"),
    RESTART("off", "on"),
    FAULT("none", "cut", "expired", "late"),
    MEMORY("normal", "small");

    @SuppressWarnings("ImmutableEnumChecker") // List.of is immutable.
    private final List<String> choices;

    Factor(String... values) {
        this.choices = List.of(values);
    }

    List<String> choices() {
        return choices;
    }
}
