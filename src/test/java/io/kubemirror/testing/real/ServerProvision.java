package io.kubemirror.testing.real;

import io.kubemirror.testing.ApiServer;

import org.junit.jupiter.api.extension.ConditionEvaluationResult;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** The source of a real API server. */
sealed interface ServerProvision {

    /** Executables on this machine. */
    record Binaries(ServerBinaries serverBinaries) implements ServerProvision {}

    /** A container. */
    record Container() implements ServerProvision {}

    /** No source is available. */
    record Nothing() implements ServerProvision {}

    /** Chooses a source. Docker is checked only if there are no binaries. */
    static ServerProvision choose(Optional<ServerBinaries> serverBinaries, BooleanSupplier docker) {
        if (serverBinaries.isPresent()) {
            return new Binaries(serverBinaries.get());
        }
        return docker.getAsBoolean() ? new Container() : new Nothing();
    }

    /** Chooses for this machine. */
    static ServerProvision here() {
        return choose(ServerBinaries.find(), K3sApiServer::isAvailable);
    }

    /** Why tests cannot run; empty if they can. */
    default Optional<String> lack() {
        return switch (this) {
            case Binaries _, Container _ -> Optional.empty();
            case Nothing _ ->
                    Optional.of(
                            "needs a real API server: "
                                    + ServerBinaries.VARIABLE
                                    + " names no directory with etcd and kube-apiserver (envtest),"
                                    + " and no Docker engine answers");
        };
    }

    /**
     * Returns whether tests run. Where they cannot, they are skipped with the reason.
     *
     * @throws IllegalStateException instead of that, if the environment has {@code CI=true}
     */
    default ConditionEvaluationResult verdict(Map<String, String> environment) {
        if (lack().isPresent() && "true".equals(environment.get("CI"))) {
            throw new IllegalStateException(lack().get());
        }
        return lack().map(ConditionEvaluationResult::disabled)
                .orElseGet(() -> ConditionEvaluationResult.enabled("there is an API server"));
    }

    /**
     * Starts a server.
     *
     * @param flags further flags of kube-apiserver
     * @param secure whether over TLS at any rate
     */
    default ApiServer start(List<String> flags, boolean secure) {
        return switch (this) {
            case Binaries(ServerBinaries serverBinaries) ->
                    secure
                            ? RealApiServer.start(serverBinaries, true, flags)
                            : RealApiServer.start(serverBinaries, flags);
            case Container() -> K3sApiServer.start(flags);
            case Nothing() -> throw new IllegalStateException(lack().orElseThrow());
        };
    }
}
