package io.kubemirror.load;

import module java.base;

import java.lang.ProcessBuilder.Redirect;
import java.lang.management.ManagementFactory;

/**
 * What the machine is, by what it takes for a JVM that does nothing.
 *
 * @param version the time of {@code java -version}, in milliseconds
 * @param load of the machine before anything was measured
 */
record MachineFloor(double version, double load) {

    private static final int TIMES = 11;

    /** Takes the median of some starts. */
    static MachineFloor measured() {
        double load = loadNow();
        List<Double> times = new ArrayList<>();
        for (int i = 0; i < TIMES; i++) {
            times.add(once() * 1e3);
        }
        return new MachineFloor(Medians.of(times, each -> each), load);
    }

    /** The processes that run or wait for a processor, by the average of the last minute. */
    static double loadNow() {
        return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    }

    String text() {
        Runtime.Version java = Runtime.version();
        return "%d cores; `java -version` (%s) takes %.0f ms; load average %.2f before"
                .formatted(Runtime.getRuntime().availableProcessors(), java, version, load);
    }

    /** Returns what one start takes, in seconds. */
    private static double once() {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        long begun = System.nanoTime();
        try {
            new ProcessBuilder(java, "-version")
                    .redirectErrorStream(true)
                    .redirectOutput(Redirect.DISCARD)
                    .start()
                    .waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
        return (System.nanoTime() - begun) / 1e9;
    }
}
