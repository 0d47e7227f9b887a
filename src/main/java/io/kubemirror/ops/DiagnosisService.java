package io.kubemirror.ops;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.upstream.UpstreamApi;

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

/** Diagnoses this process, its mirrors, and its API server. Safe for use by any thread. */
public final class DiagnosisService {

    private final DiagnosisInput input;
    private final UpstreamProbe probe;
    private final MirrorInspector inspector;

    /**
     * Creates a service.
     *
     * @param api the API server
     * @param input the mirrors and the process to diagnose
     */
    public DiagnosisService(UpstreamApi api, DiagnosisInput input) {
        this.input = input;
        this.inspector = new MirrorInspector(input.watchers(), input.clock());
        this.probe = new UpstreamProbe(api, input.setup().upstream(), input.plain(), input.clock());
    }

    /**
     * Creates a diagnosis.
     *
     * @param resource the resource or the name of a mirror to restrict the diagnosis to, empty for
     *     all
     */
    Diagnosis diagnose(String resource) {
        List<DiagnosisInput.Mirrored> asked =
                input.mirrors().stream()
                        .filter(mirrored -> isMeant(resource, mirrored.mirror()))
                        .toList();
        UpstreamProbe.ProbeResults answers = probe.answers();
        List<MirrorDiagnosis> examined =
                asked.stream()
                        .map(mirrored -> inspector.of(mirrored, access(answers, mirrored)))
                        .toList();
        Diagnosis.Memory memory = memory();
        return new Diagnosis(
                input.clock().instant(),
                Findings.of(answers.upstream(), memory, examined),
                process(),
                answers.upstream(),
                memory,
                input.setup().settings(),
                examined);
    }

    /** Whether a mirror has this resource or name. */
    boolean knows(String resource) {
        return input.mirrors().stream().anyMatch(mirrored -> isMeant(resource, mirrored.mirror()));
    }

    private static boolean isMeant(String resource, Mirror mirror) {
        return resource.isEmpty()
                || resource.equals(mirror.scope().toString())
                || resource.equals(mirror.scope().resource().text());
    }

    private static Map<String, MirrorDiagnosis.AccessStatus> access(
            UpstreamProbe.ProbeResults answers, DiagnosisInput.Mirrored mirrored) {
        return answers.access().getOrDefault(mirrored.mirror().scope().toString(), Map.of());
    }

    private Diagnosis.ProgramDiagnosis process() {
        RuntimeMXBean runtime = ManagementFactory.getRuntimeMXBean();
        Instant started = Instant.ofEpochMilli(runtime.getStartTime());
        return new Diagnosis.ProgramDiagnosis(
                input.setup().version(),
                runtime.getVmVersion(),
                started,
                Duration.between(started, input.clock().instant()).toSeconds(),
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
