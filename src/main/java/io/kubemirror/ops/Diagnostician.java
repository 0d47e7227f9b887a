package io.kubemirror.ops;

import io.kubemirror.kube.KubeApi;
import io.kubemirror.mirror.Mirror;

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

/** Finds out how this process, its mirrors and its API server are. For any thread. */
public final class Diagnostician {

    private final Observed observed;
    private final Inquiry inquiry;
    private final Examination examination;

    /**
     * A diagnostician.
     *
     * @param api the API server
     * @param observed what to look at
     */
    public Diagnostician(KubeApi api, Observed observed) {
        this.observed = observed;
        this.examination = new Examination(observed.followers(), observed.clock());
        this.inquiry =
                new Inquiry(api, observed.setup().upstream(), observed.plain(), observed.clock());
    }

    /**
     * How everything is.
     *
     * @param resource the resource or the name of a mirror that alone is to be told of, empty for
     *     all
     */
    Diagnosis diagnose(String resource) {
        List<Observed.Mirrored> asked =
                observed.mirrors().stream()
                        .filter(mirrored -> isMeant(resource, mirrored.mirror()))
                        .toList();
        Inquiry.Answers answers = inquiry.answers();
        List<MirrorDiagnosis> examined =
                asked.stream()
                        .map(mirrored -> examination.of(mirrored, access(answers, mirrored)))
                        .toList();
        Diagnosis.Memory memory = memory();
        return new Diagnosis(
                observed.clock().instant(),
                Findings.of(answers.upstream(), memory, examined),
                process(),
                answers.upstream(),
                memory,
                observed.setup().settings(),
                examined);
    }

    /** Whether there is such a mirror. */
    boolean knows(String resource) {
        return observed.mirrors().stream()
                .anyMatch(mirrored -> isMeant(resource, mirrored.mirror()));
    }

    private static boolean isMeant(String resource, Mirror mirror) {
        return resource.isEmpty()
                || resource.equals(mirror.scope().toString())
                || resource.equals(mirror.scope().resource().text());
    }

    private static Map<String, MirrorDiagnosis.Access> access(
            Inquiry.Answers answers, Observed.Mirrored mirrored) {
        return answers.access().getOrDefault(mirrored.mirror().scope().toString(), Map.of());
    }

    private Diagnosis.Program process() {
        RuntimeMXBean runtime = ManagementFactory.getRuntimeMXBean();
        Instant started = Instant.ofEpochMilli(runtime.getStartTime());
        return new Diagnosis.Program(
                observed.setup().version(),
                runtime.getVmVersion(),
                started,
                Duration.between(started, observed.clock().instant()).toSeconds(),
                observed.setup().api().get());
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
                observed.memory().used(),
                observed.memory().limit(),
                observed.plain().stream().mapToLong(Mirror::bytes).sum(),
                observed.plain().stream().mapToLong(Mirror::windowBytes).sum());
    }
}
