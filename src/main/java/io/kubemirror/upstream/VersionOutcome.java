package io.kubemirror.upstream;

/** What came of asking the server for its version. */
public sealed interface VersionOutcome permits VersionOutcome.Known, Failure {

    /**
     * The server has told it.
     *
     * @param gitVersion the version, such as {@code v1.36.4+k3s1}; it changes with every upgrade
     * @param json the document of {@code /version}, as it came
     */
    record Known(String gitVersion, String json) implements VersionOutcome {}
}
