package io.kubemirror.upstream;

/** The result of requesting the version of the server. */
public sealed interface VersionOutcome permits VersionOutcome.Known, Failure {

    /**
     * The version is known.
     *
     * @param gitVersion the version, such as {@code v1.36.4+k3s1}; it changes with every upgrade
     * @param json the unmodified document of {@code /version}
     */
    record Known(String gitVersion, String json) implements VersionOutcome {}
}
