package io.kubemirror;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** Starts kubemirror. */
@SpringBootApplication
public class KubeMirrorApplication {

    /**
     * Runs the application.
     *
     * @param arguments Spring Boot's command line arguments
     */
    public static void main(String[] arguments) {
        SpringApplication.run(KubeMirrorApplication.class, arguments);
    }
}
