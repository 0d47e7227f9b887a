package io.kubemirror.testing.real;

import module java.base;

import io.kubemirror.testing.ApiServer;

import org.junit.jupiter.api.extension.ConditionEvaluationResult;

/**
 * The source of a real API server.
 *
 * @param binaries executables on this machine
 * @param docker whether a container can be started; checked only if there are no executables
 */
record ServerProvision(Optional<ServerBinaries> binaries, boolean docker) {

    /** What this machine has. */
    static ServerProvision here() {
        Optional<ServerBinaries> binaries = ServerBinaries.find();
        return new ServerProvision(binaries, binaries.isEmpty() && K3sApiServer.isAvailable());
    }

    /** Executables only. */
    static ServerProvision ofBinaries() {
        return new ServerProvision(ServerBinaries.find(), false);
    }

    /**
     * Returns whether tests run. Where they cannot, they are skipped with the reason.
     *
     * @throws IllegalStateException instead of that, if the environment has {@code CI=true}
     */
    ConditionEvaluationResult verdict() {
        if (binaries.isPresent() || docker) {
            return ConditionEvaluationResult.enabled("there is an API server");
        }
        String lack =
                "needs a real API server: "
                        + ServerBinaries.VARIABLE
                        + " names no directory with etcd and kube-apiserver (envtest),"
                        + " and no Docker engine answers";
        if ("true".equals(System.getenv("CI"))) {
            throw new IllegalStateException(lack);
        }
        return ConditionEvaluationResult.disabled(lack);
    }

    /**
     * Starts a server.
     *
     * @param flags further flags of kube-apiserver
     * @param secure whether over TLS at any rate
     */
    ApiServer start(List<String> flags, boolean secure) {
        if (binaries.isEmpty()) {
            return K3sApiServer.start(flags);
        }
        return secure
                ? RealApiServer.start(binaries.get(), true, flags)
                : RealApiServer.start(binaries.get(), flags);
    }
}
