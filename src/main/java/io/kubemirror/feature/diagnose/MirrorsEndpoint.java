package io.kubemirror.feature.diagnose;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.source.Sources;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

import java.time.Instant;
import java.util.List;
import java.util.function.Predicate;

/**
 * Actuator endpoint that diagnoses this process, its mirrors, and its API server: {@code
 * /actuator/mirrors} for all mirrors, {@code /actuator/mirrors/pods} or {@code
 * /actuator/mirrors/pods/kube-system} for some. Safe for use by any thread.
 */
@Endpoint(id = "mirrors")
public final class MirrorsEndpoint {

    private final DiagnosisInput input;
    private final UpstreamProbe probe;

    /**
     * Creates an endpoint.
     *
     * @param api the API server
     * @param input the mirrors and the process to diagnose
     */
    public MirrorsEndpoint(Sources api, DiagnosisInput input) {
        this.input = input;
        this.probe = new UpstreamProbe(api, input);
    }

    /**
     * The diagnosis of all mirrors.
     *
     * @param objects true to name the objects that change most
     * @param watches true to request the metrics of the API server, which count watches; they are
     *     many megabytes in a large cluster
     */
    @ReadOperation
    public Diagnosis all(@Nullable Boolean objects, @Nullable Boolean watches) {
        return diagnose(_ -> true, Boolean.TRUE.equals(objects), Boolean.TRUE.equals(watches));
    }

    /** The diagnosis of the mirrors of one resource, or of one mirror; null if there is none. */
    @ReadOperation
    public @Nullable Diagnosis one(
            @Selector(match = Selector.Match.ALL_REMAINING) String[] mirror,
            @Nullable Boolean objects,
            @Nullable Boolean watches) {
        String name = String.join("/", mirror);
        Predicate<Mirror> meant =
                candidate ->
                        name.isEmpty()
                                || name.equals(candidate.scope().toString())
                                || name.equals(candidate.scope().resource().text());
        return input.plain().stream().anyMatch(meant)
                ? diagnose(meant, Boolean.TRUE.equals(objects), Boolean.TRUE.equals(watches))
                : null;
    }

    private Diagnosis diagnose(Predicate<Mirror> meant, boolean objects, boolean watches) {
        UpstreamProbe.ProbeResults answers = probe.answers(watches);
        Instant now = input.clock().instant();
        List<MirrorDiagnosis> mirrors =
                input.mirrors().stream()
                        .filter(mirrored -> meant.test(mirrored.mirror()))
                        .map(
                                mirrored ->
                                        MirrorDiagnosis.of(
                                                mirrored,
                                                input.watchers(),
                                                answers.access(),
                                                objects,
                                                now))
                        .toList();
        Diagnosis.Memory memory = Diagnosis.Memory.of(input);
        return new Diagnosis(
                now,
                Findings.of(
                        answers.upstream(), memory, mirrors, input.configuration().difference()),
                Diagnosis.ProgramDiagnosis.of(input.process(), now),
                answers.upstream(),
                memory,
                input.process().settings().get(),
                mirrors);
    }
}
