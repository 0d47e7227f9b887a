package io.kubemirror.ops;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.upstream.UpstreamApi;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.lang.management.RuntimeMXBean;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
    public MirrorsEndpoint(UpstreamApi api, DiagnosisInput input) {
        this.input = input;
        this.probe = new UpstreamProbe(api, input);
    }

    /** The diagnosis of all mirrors. */
    @ReadOperation
    public Diagnosis all() {
        return diagnose(_ -> true);
    }

    /** The diagnosis of the mirrors of one resource, or of one mirror; null if there is none. */
    @ReadOperation
    public @Nullable Diagnosis one(
            @Selector(match = Selector.Match.ALL_REMAINING) String... mirror) {
        String name = String.join("/", mirror);
        Predicate<Mirror> meant =
                candidate ->
                        name.isEmpty()
                                || name.equals(candidate.scope().toString())
                                || name.equals(candidate.scope().resource().text());
        return input.plain().stream().anyMatch(meant) ? diagnose(meant) : null;
    }

    private Diagnosis diagnose(Predicate<Mirror> meant) {
        UpstreamProbe.ProbeResults answers = probe.answers();
        Instant now = input.clock().instant();
        List<MirrorDiagnosis> mirrors =
                input.mirrors().stream()
                        .filter(mirrored -> meant.test(mirrored.mirror()))
                        .map(
                                mirrored ->
                                        MirrorDiagnosis.of(
                                                mirrored,
                                                input.watchers().of(mirrored.mirror()),
                                                answers.access()
                                                        .getOrDefault(mirrored.mirror(), Map.of()),
                                                now))
                        .toList();
        Diagnosis.Memory memory = memory();
        return new Diagnosis(
                now,
                Findings.of(answers.upstream(), memory, mirrors),
                program(now),
                answers.upstream(),
                memory,
                input.setup().settings(),
                mirrors);
    }

    private Diagnosis.ProgramDiagnosis program(Instant now) {
        RuntimeMXBean runtime = ManagementFactory.getRuntimeMXBean();
        Instant started = Instant.ofEpochMilli(runtime.getStartTime());
        return new Diagnosis.ProgramDiagnosis(
                input.setup().version(),
                runtime.getVmVersion(),
                started,
                Duration.between(started, now).toSeconds(),
                input.setup().api().get());
    }

    private Diagnosis.Memory memory() {
        MemoryUsage heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
        long kept =
                ManagementFactory.getMemoryPoolMXBeans().stream()
                        .filter(pool -> pool.getType() == MemoryType.HEAP)
                        .map(MemoryPoolMXBean::getCollectionUsage)
                        .filter(Objects::nonNull)
                        .mapToLong(MemoryUsage::getUsed)
                        .sum();
        return new Diagnosis.Memory(
                heap.getUsed(),
                kept,
                heap.getMax(),
                input.memory().used(),
                input.memory().limit(),
                input.plain().stream().mapToLong(Mirror::bytes).sum(),
                input.plain().stream().mapToLong(Mirror::windowBytes).sum());
    }
}
