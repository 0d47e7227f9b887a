package io.kubemirror.feature.scrape;

import module java.base;

import com.sun.management.UnixOperatingSystemMXBean;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

import org.springframework.stereotype.Component;

import java.lang.management.ManagementFactory;

/**
 * The process under the names that Prometheus's client libraries give it, which dashboards expect.
 * Micrometer has the same under other names, except for the resident memory.
 */
@Component
final class ProcessMetrics implements MeterBinder {

    private static final Path STATUS = Path.of("/proc/self/status");

    private static final Pattern RESIDENT = Pattern.compile("VmRSS:\\s*(\\d+) kB");

    @Override
    public void bindTo(MeterRegistry registry) {
        if (ManagementFactory.getOperatingSystemMXBean()
                instanceof UnixOperatingSystemMXBean unix) {
            bind(unix, registry);
        }
        if (Files.isReadable(STATUS)) {
            Gauge.builder("process.resident.memory", ProcessMetrics::resident)
                    .baseUnit("bytes")
                    .description("Resident memory of the process")
                    .register(registry);
        }
    }

    private static void bind(UnixOperatingSystemMXBean unix, MeterRegistry registry) {
        FunctionCounter.builder("process.cpu", unix, bean -> bean.getProcessCpuTime() / 1e9)
                .baseUnit("seconds")
                .description("Processor time of the process")
                .register(registry);
        Gauge.builder("process.open.fds", unix, bean -> bean.getOpenFileDescriptorCount())
                .description("Number of open files and connections")
                .register(registry);
        Gauge.builder("process.max.fds", unix, bean -> bean.getMaxFileDescriptorCount())
                .description("Limit of open files and connections")
                .register(registry);
    }

    private static double resident() {
        try (Stream<String> lines = Files.lines(STATUS)) {
            return lines.flatMap(line -> RESIDENT.matcher(line).results())
                    .mapToDouble(line -> Double.parseDouble(line.group(1)) * 1024)
                    .findFirst()
                    .orElse(Double.NaN);
        } catch (IOException | UncheckedIOException _) {
            return Double.NaN;
        }
    }
}
