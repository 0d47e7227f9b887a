package io.kubemirror.load;

import module java.base;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.actuate.autoconfigure.management.ThreadDumpEndpointAutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcObservationAutoConfiguration;
import org.springframework.context.annotation.Configuration;

import java.util.jar.Attributes;

/**
 * A Spring Boot application without code, with the libraries, the {@code application.yaml}, and the
 * exclusions of kubemirror. Shows how much of a start belongs to these.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration(
        exclude = {
            AopAutoConfiguration.class,
            TaskExecutionAutoConfiguration.class,
            TaskSchedulingAutoConfiguration.class,
            ThreadDumpEndpointAutoConfiguration.class,
            WebMvcObservationAutoConfiguration.class
        })
public class EmptyApplication {

    /** A setting: the readiness of kubemirror includes its mirrors, which are not here. */
    static final String NO_MIRRORS = "management.endpoint.health.validate-group-membership=false";

    private static final String NAME = EmptyApplication.class.getName();

    /** Starts it. */
    public static void main(String[] arguments) {
        SpringApplication.run(EmptyApplication.class, arguments);
    }

    /**
     * Writes its jar, with what Spring settles at build time, in the directory of another.
     *
     * @param other whose libraries and configuration it has
     */
    static void write(Path other, Path jar) throws IOException {
        Path work = jar.resolveSibling("empty");
        Path manifest = work.resolve("manifest");
        Path classes = work.resolve("classes");
        String source = NAME.replace('.', '/');
        Path program = classes.resolve(source + ".class");
        Files.createDirectories(program.getParent());
        try (InputStream input =
                        EmptyApplication.class.getResourceAsStream("/" + source + ".class");
                JarFile jarFile = new JarFile(other.toFile());
                InputStream yaml = jarFile.getInputStream(jarFile.getEntry("application.yaml"));
                OutputStream output = Files.newOutputStream(manifest)) {
            Files.copy(Objects.requireNonNull(input), program, StandardCopyOption.REPLACE_EXISTING);
            Files.copy(
                    yaml, classes.resolve("application.yaml"), StandardCopyOption.REPLACE_EXISTING);
            Manifest changed = new Manifest(jarFile.getManifest());
            changed.getMainAttributes().put(Attributes.Name.MAIN_CLASS, NAME);
            changed.write(output);
        }
        tool("jar", "cfm", jar.toString(), manifest.toString(), "-C", classes.toString(), ".");
        Path settled = work.resolve("settled");
        settle(jar, work, settled);
        tool("jar", "uf", jar.toString(), "-C", settled.toString(), ".");
    }

    /** The two steps of the POM that settle what the configuration classes say. */
    private static void settle(Path jar, Path work, Path settled) throws IOException {
        String sources = work.resolve("sources").toString();
        ImageContents.run(
                new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        jar.toString(),
                        "org.springframework.boot.SpringApplicationAotProcessor",
                        NAME,
                        sources,
                        work.resolve("resources").toString(),
                        settled.toString(),
                        "io.kubemirror",
                        "empty",
                        "--" + NO_MIRRORS));
        tool(
                "javac",
                "-proc:none",
                "-nowarn",
                "-cp",
                jar.toString(),
                "-sourcepath",
                sources,
                "-d",
                settled.toString(),
                Path.of(sources, NAME.replace('.', '/') + "__ApplicationContextInitializer.java")
                        .toString());
    }

    private static void tool(String name, String... arguments) {
        if (ToolProvider.findFirst(name).orElseThrow().run(System.out, System.err, arguments)
                != 0) {
            throw new IllegalStateException(name + " failed");
        }
    }
}
