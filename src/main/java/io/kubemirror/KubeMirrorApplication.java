package io.kubemirror;

import io.kubemirror.ops.cli.DiagnoseCommand;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.actuate.autoconfigure.management.ThreadDumpEndpointAutoConfiguration;
import org.springframework.boot.autoconfigure.SpringBootApplication;

import java.util.List;

/** The main class. */
@SpringBootApplication(exclude = ThreadDumpEndpointAutoConfiguration.class)
public class KubeMirrorApplication {

    private static final String DIAGNOSE = "diagnose";

    /**
     * Runs the application, or the command {@code diagnose} without Spring.
     *
     * @param arguments Spring Boot's command line arguments, or {@code diagnose} and its options
     */
    public static void main(String[] arguments) {
        if (arguments.length > 0 && arguments[0].equals(DIAGNOSE)) {
            List<String> options = List.of(arguments).subList(1, arguments.length);
            System.exit(DiagnoseCommand.run(options, System.out));
        }
        SpringApplication.run(KubeMirrorApplication.class, arguments);
    }
}
