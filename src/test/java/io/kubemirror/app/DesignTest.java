package io.kubemirror.app;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;

import io.kubemirror.testing.Unchecked;

import org.junit.jupiter.api.Test;

/** The design page and that about hand-offs name the packages and types that exist. */
class DesignTest {

    private static final JavaClasses CLASSES =
            new ClassFileImporter().importPackages("io.kubemirror");

    private final String page = read(Path.of("src", "docs", "design.md"));

    @Test
    void design_page_names_exactly_the_existing_packages() {
        Set<String> shipped =
                CLASSES.stream()
                        .filter(DesignTest::isShipped)
                        .map(JavaClass::getPackageName)
                        .map(name -> name.replace("io.kubemirror.", ""))
                        .collect(Collectors.toCollection(TreeSet::new));

        assertThat(named("^\\| `([a-z.]+)` \\|", page)).isSubsetOf(shipped);
        assertThat(shipped).allSatisfy(name -> assertThat(page).contains("`" + name + "`"));
    }

    @Test
    void design_page_names_only_existing_types() {
        Set<String> types =
                CLASSES.stream().map(JavaClass::getSimpleName).collect(Collectors.toSet());

        String handOffs = read(Path.of("src", "stress", "README.md"));
        assertThat(named("`([A-Z][A-Za-z0-9]+)", page)).isNotEmpty().isSubsetOf(types);
        assertThat(named("`([A-Z][A-Za-z0-9]+)", handOffs)).isNotEmpty().isSubsetOf(types);
    }

    private static Set<String> named(String pattern, String text) {
        return Pattern.compile(pattern, Pattern.MULTILINE)
                .matcher(text)
                .results()
                .map(result -> result.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static boolean isShipped(JavaClass type) {
        return type.getSource()
                .map(source -> !source.getUri().toString().contains("/test-classes/"))
                .orElse(false);
    }

    private static String read(Path file) {
        return Unchecked.call(() -> Files.readString(file));
    }
}
