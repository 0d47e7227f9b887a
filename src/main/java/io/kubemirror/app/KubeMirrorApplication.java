package io.kubemirror.app;

import module java.base;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.actuate.autoconfigure.management.ThreadDumpEndpointAutoConfiguration;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;
import org.springframework.boot.webmvc.autoconfigure.WebMvcObservationAutoConfiguration;
import org.springframework.core.io.support.PropertiesLoaderUtils;

/**
 * The main class.
 *
 * <p>Excluded are the thread dump that {@code ThreadsEndpoint} replaces, and what only takes time
 * at the start and memory: aspects, pools and schedulers of tasks, and observations of requests,
 * which {@code RequestMeters} counts.
 */
@SpringBootApplication(
        scanBasePackages = "io.kubemirror",
        exclude = {
            AopAutoConfiguration.class,
            TaskExecutionAutoConfiguration.class,
            TaskSchedulingAutoConfiguration.class,
            ThreadDumpEndpointAutoConfiguration.class,
            WebMvcObservationAutoConfiguration.class
        })
@ConfigurationPropertiesScan("io.kubemirror")
public class KubeMirrorApplication {

    /** Boot's own switches, the only properties without a dot. */
    private static final Set<String> SWITCHES = Set.of("--debug", "--trace");

    /** How many platform threads carry virtual threads, unless the command line says. */
    private static final String CARRIERS = "jdk.virtualThreadScheduler.parallelism";

    /**
     * One for each of few processors is not enough: a virtual thread that waits for a class to be
     * loaded keeps its carrier, and the thread that loads it may wait for a virtual thread.
     */
    private static final int MIN_CARRIERS = 8;

    /**
     * Starts the server, or runs a command of the command line, which starts none.
     *
     * @param arguments properties only, or a command and its arguments
     */
    public static void main(String[] arguments) {
        int carriers = Math.max(MIN_CARRIERS, Runtime.getRuntime().availableProcessors());
        System.setProperty(CARRIERS, System.getProperty(CARRIERS, String.valueOf(carriers)));
        if (Arrays.stream(arguments).allMatch(KubeMirrorApplication::isProperty)) {
            SpringApplication.run(KubeMirrorApplication.class, arguments);
        } else {
            System.exit(new CommandLine(System.out, System.err).run(List.of(arguments)));
        }
    }

    /**
     * Returns whether an argument sets a property of the configuration. One without a value is a
     * mistake of the command line, for which Boot would take an empty value.
     */
    static boolean isProperty(String argument) {
        String[] parts = argument.split("=", 2);
        return SWITCHES.contains(parts[0])
                || (parts.length == 2 && parts[0].startsWith("--") && parts[0].contains("."));
    }

    /** Returns a property of the build, such as {@code version}; "unknown" if it has none. */
    public static String built(String property) {
        try {
            return PropertiesLoaderUtils.loadAllProperties("META-INF/build-info.properties")
                    .getProperty("build." + property, "unknown");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
