package io.kubemirror.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.clients.ProgramRun;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests {@code target/kubemirror}, which {@code mvn package} leaves. */
@Tag("image")
class PackageTest {

    private static final Path HOME = Path.of("target", "kubemirror");
    private static final Path SCRIPT = HOME.resolve("bin").resolve("kubemirror");

    /** The version of class files of Java 17, which Boot needs. */
    private static final int JAVA_17 = 61;

    @TempDir private Path directory;

    @Test
    void script_finds_a_jdk_and_starts_the_application() throws Exception {
        Process process = new ProcessBuilder(SCRIPT.toString(), "--version").start();

        assertThat(process.inputReader().readLine()).startsWith("kubemirror ");
        assertThat(process.waitFor()).isZero();
    }

    @Test
    void script_says_in_one_line_that_there_is_no_jdk() throws Exception {
        Path bin = Files.createDirectory(directory.resolve("bin"));
        String text = Files.readString(SCRIPT).replace("-ge 25", "-ge 1000");
        Path script = Files.writeString(bin.resolve("kubemirror"), text);
        Process process = new ProcessBuilder("sh", script.toString()).start();

        assertThat(process.errorReader().lines())
                .containsExactly(
                        "kubemirror: needs a JDK 25 or newer; install one, or set JAVA_HOME to it");
        assertThat(process.waitFor()).isEqualTo(1);
    }

    @Test
    void old_java_can_read_the_main_class_that_says_so() throws Exception {
        try (JarFile jar = new JarFile(HOME.resolve("kubemirror.jar").toFile())) {
            String name = jar.getManifest().getMainAttributes().getValue("Main-Class");
            InputStream file = jar.getInputStream(jar.getEntry(name.replace('.', '/') + ".class"));

            assertThat(ByteBuffer.wrap(file.readAllBytes()).getShort(6)).isEqualTo((short) JAVA_17);
        }
    }

    @Test
    void arguments_and_exit_code_are_those_of_the_application() {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String jar = Path.of("target", "kubemirror.jar").toAbsolutePath().toString();
        try (ProgramRun run =
                ProgramRun.start(
                        Path.of("."),
                        List.of(java, "-jar", jar, "diagnose", "http://127.0.0.1:1"))) {
            assertThat(run.outcome()).contains("http://127.0.0.1:1").endsWith("exit code 3");
        }
    }
}
