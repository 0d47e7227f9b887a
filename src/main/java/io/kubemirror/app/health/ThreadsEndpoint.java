package io.kubemirror.app.health;

import module java.base;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.HotSpotDiagnosticMXBean.ThreadDumpFormat;

import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.Resource;

import java.lang.management.ManagementFactory;

/**
 * Actuator endpoint with the stacks of all threads, as {@code jcmd Thread.dump_to_file} writes
 * them: {@code /actuator/threaddump} as text, or as JSON.
 *
 * <p>Takes the place of Boot's endpoint of this name, which knows platform threads only. Reflectors
 * run on virtual threads. Safe for use by any thread.
 */
@Endpoint(id = "threaddump")
public final class ThreadsEndpoint {

    /** Returns the stacks as text. */
    @ReadOperation(produces = "text/plain;charset=UTF-8")
    public Resource text() throws IOException {
        return dump(ThreadDumpFormat.TEXT_PLAIN);
    }

    /** Returns the stacks as a JSON document. */
    @ReadOperation(produces = "application/json")
    public Resource json() throws IOException {
        return dump(ThreadDumpFormat.JSON);
    }

    /** The JVM writes to a file that must not exist. One dump at a time, because each is large. */
    private static synchronized Resource dump(ThreadDumpFormat format) throws IOException {
        Path directory = Files.createTempDirectory("threads");
        Path file = directory.resolve("dump");
        try {
            ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                    .dumpThreads(file.toString(), format);
            return new ByteArrayResource(Files.readAllBytes(file));
        } finally {
            Files.deleteIfExists(file);
            Files.deleteIfExists(directory);
        }
    }
}
