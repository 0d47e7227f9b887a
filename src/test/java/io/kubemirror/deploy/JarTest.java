package io.kubemirror.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.clients.ProgramRun;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.DataInputStream;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarFile;

/** Tests how the jar starts on old and new versions of Java. */
@Tag("image")
class JarTest {

    private static final Path JAR = Path.of("target", "kubemirror.jar");

    /** The format of class files of Java 8, whose releases count from 44. */
    private static final int JAVA_8 = 44 + 8;

    @Test
    void any_java_since_8_reads_the_main_class() throws IOException {
        try (JarFile jar = new JarFile(JAR.toFile())) {
            Attributes manifest = jar.getManifest().getMainAttributes();
            String main = manifest.getValue(Attributes.Name.MAIN_CLASS);

            assertThat(format(jar, main.replace('.', '/'))).isEqualTo(JAVA_8);
        }
    }

    @Test
    void old_java_says_which_one_is_needed() throws IOException {
        try (ProgramRun run = start(oldJava(), "diagnose")) {
            assertThat(run.outcome())
                    .startsWith("kubemirror needs Java " + release() + " or newer; this is Java ")
                    .endsWith("Set JAVA_HOME or PATH to a newer one.\nexit code 2")
                    .hasLineCount(2);
        }
    }

    @Test
    void arguments_and_exit_code_are_those_of_the_application() {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        try (ProgramRun run = start(java, "diagnose", "--url=http://127.0.0.1:1")) {
            assertThat(run.outcome()).contains("http://127.0.0.1:1").endsWith("exit code 3");
        }
    }

    /** The release that the application is compiled for. */
    private static int release() throws IOException {
        try (JarFile jar = new JarFile(JAR.toFile())) {
            return format(jar, "BOOT-INF/classes/io/kubemirror/app/KubeMirrorApplication") - 44;
        }
    }

    private static int format(JarFile jar, String type) throws IOException {
        try (DataInputStream in =
                new DataInputStream(jar.getInputStream(jar.getEntry(type + ".class")))) {
            in.skipNBytes(6);
            return in.readUnsignedShort();
        }
    }

    private static ProgramRun start(String java, String... arguments) {
        List<String> command =
                new ArrayList<>(List.of(java, "-jar", JAR.toAbsolutePath().toString()));
        command.addAll(List.of(arguments));
        return ProgramRun.start(Path.of("."), command);
    }

    /** The java on the PATH, with which Debian's Maven runs, if it is older. */
    private static String oldJava() {
        Path java =
                Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
                        .map(directory -> Path.of(directory, "java"))
                        .filter(Files::isExecutable)
                        .findFirst()
                        .orElseThrow();
        try (ProgramRun run =
                ProgramRun.start(Path.of("."), List.of(java.toString(), "-version"))) {
            String version = run.text();
            Assumptions.assumeFalse(
                    version.contains("\"" + Runtime.version().feature() + "."),
                    "needs an older java on the PATH");
        }
        return java.toString();
    }
}
