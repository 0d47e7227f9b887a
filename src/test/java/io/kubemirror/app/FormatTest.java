package io.kubemirror.app;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import com.google.googlejavaformat.java.Formatter;
import com.google.googlejavaformat.java.FormatterException;
import com.google.googlejavaformat.java.ImportOrderer;
import com.google.googlejavaformat.java.JavaFormatterOptions;
import com.google.googlejavaformat.java.JavaFormatterOptions.Style;
import com.google.googlejavaformat.java.RemoveUnusedImports;
import com.google.googlejavaformat.java.StringWrapper;

import org.junit.jupiter.api.Test;

/**
 * Checks the format of all sources. {@code mvn test -Dtest=FormatTest -Dformat.write=true} formats
 * them.
 */
class FormatTest {

    private static final Style STYLE = Style.AOSP;

    /** The names that several packages of the module have. */
    private static final Set<String> AMBIGUOUS =
            Set.of(
                    "Attributes",
                    "Certificate",
                    "CertificateException",
                    "CertificateExpiredException",
                    "CertificateNotYetValidException",
                    "Configuration",
                    "Proxy",
                    "Signature",
                    "X509Certificate");

    @Test
    void sources_are_formatted() throws IOException {
        boolean write = Boolean.getBoolean("format.write");

        List<Path> different =
                sources().parallelStream().filter(file -> isDifferent(file, write)).toList();

        assertThat(write ? List.of() : different)
                .as("mvn test -Dtest=FormatTest -Dformat.write=true formats them")
                .isEmpty();
    }

    private static List<Path> sources() throws IOException {
        try (Stream<Path> files = Files.walk(Path.of("src"))) {
            return files.filter(file -> file.toString().endsWith(".java")).sorted().toList();
        }
    }

    /**
     * Those that remain are the packages that a class depends on. Programs that tests start are
     * written for older Java, too.
     */
    @Test
    void types_of_java_base_are_imported_as_a_module() throws IOException {
        List<String> single = new ArrayList<>();
        List<Path> own =
                sources().stream()
                        .filter(file -> !file.startsWith(Path.of("src", "test", "programs")))
                        .toList();
        for (Path file : own) {
            Files.readAllLines(file).stream()
                    .filter(line -> line.startsWith("import java."))
                    .map(line -> line.substring("import ".length(), line.length() - 1))
                    .filter(name -> !AMBIGUOUS.contains(name.substring(name.lastIndexOf('.') + 1)))
                    .filter(FormatTest::isOfJavaBase)
                    .map(name -> file + ": " + name)
                    .forEach(single::add);
        }

        assertThat(single).as("import module java.base").isEmpty();
    }

    private static boolean isOfJavaBase(String name) {
        try {
            return Class.forName(name).getModule() == Object.class.getModule();
        } catch (ClassNotFoundException nested) {
            return false;
        }
    }

    private static boolean isDifferent(Path file, boolean write) {
        try {
            String text = Files.readString(file);
            String formatted = format(text);
            if (write && !formatted.equals(text)) {
                Files.writeString(file, formatted);
            }
            return !formatted.equals(text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (FormatterException mistake) {
            throw new AssertionError(file.toString(), mistake);
        }
    }

    private static String format(String text) throws FormatterException {
        String imports =
                ImportOrderer.reorderImports(RemoveUnusedImports.removeUnusedImports(text), STYLE);
        Formatter formatter = new Formatter(JavaFormatterOptions.builder().style(STYLE).build());
        return StringWrapper.wrap(formatter.formatSource(imports), formatter);
    }
}
