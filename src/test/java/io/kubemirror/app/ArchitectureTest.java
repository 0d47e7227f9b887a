package io.kubemirror.app;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static com.tngtech.archunit.library.GeneralCodingRules.ACCESS_STANDARD_STREAMS;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_USE_FIELD_INJECTION;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_USE_JAVA_UTIL_LOGGING;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import static org.assertj.core.api.Assertions.assertThat;

import static java.util.Map.entry;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;

import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * Enforces the dependencies between packages of the design, and the conventions of the code, for
 * all production classes.
 */
class ArchitectureTest {

    private static final JavaClasses SHIPPED =
            new ClassFileImporter()
                    .withImportOption(new DoNotIncludeTests())
                    .importPackages("io.kubemirror");

    /** What each package may use besides {@code model}, which all may use. */
    static final Map<String, Set<String>> ALLOWED =
            Map.ofEntries(
                    entry("model", Set.of()),
                    entry("source", Set.of()),
                    entry("mirror", Set.of()),
                    entry("reflector", Set.of("mirror", "source")),
                    entry("kube.json", Set.of("source")),
                    entry("kube", Set.of("kube.json", "source")),
                    entry("api.http", Set.of()),
                    entry("api.encode", Set.of("api.http", "mirror")),
                    entry("api.read", Set.of("api.http", "api.encode", "mirror", "source")),
                    entry("api.watch", Set.of("api.http", "api.encode", "api.read", "mirror")),
                    entry("api.server", Set.of("api.http", "api.read", "api.watch", "mirror")),
                    entry(
                            "api",
                            Set.of(
                                    "api.http",
                                    "api.encode",
                                    "api.read",
                                    "api.watch",
                                    "api.server",
                                    "mirror",
                                    "source")),
                    entry(
                            "feature.demand",
                            Set.of("api.http", "api.read", "app", "kube", "mirror", "source")),
                    entry("feature.disk", Set.of("app", "mirror")),
                    entry("feature.etcd", Set.of("app", "kube", "kube.json", "source")),
                    entry("feature.files", Set.of("app", "kube", "kube.json", "source")),
                    entry(
                            "feature.redact",
                            Set.of("api.http", "api.read", "app", "kube.json", "source")),
                    entry("feature.query", Set.of("api.http", "api.encode", "mirror")),
                    entry("feature.table", Set.of("api.http", "api.encode", "source")),
                    entry(
                            "feature.access",
                            Set.of("api.http", "api.read", "api.server", "app", "kube", "source")),
                    entry(
                            "feature.conflate",
                            Set.of("api.http", "api.encode", "api.watch", "mirror")),
                    entry(
                            "feature.stream",
                            Set.of(
                                    "api",
                                    "api.http",
                                    "api.encode",
                                    "api.read",
                                    "api.server",
                                    "api.watch",
                                    "mirror")),
                    entry("feature.union", Set.of("app", "mirror", "reflector")),
                    entry("feature.unix", Set.of("api.server", "app")),
                    entry(
                            "feature.forward",
                            Set.of(
                                    "api.http",
                                    "api.encode",
                                    "api.read",
                                    "api.server",
                                    "api.watch",
                                    "app",
                                    "kube",
                                    "mirror",
                                    "source")),
                    entry("app.health", Set.of("mirror", "reflector")),
                    entry(
                            "app",
                            Set.of(
                                    "api.http",
                                    "api.read",
                                    "api.server",
                                    "api.watch",
                                    "app.health",
                                    "kube",
                                    "mirror",
                                    "reflector",
                                    "source")),
                    entry("feature.trace", Set.of("mirror")),
                    entry("feature.diagnose", Set.of("app.health", "kube", "mirror", "source")),
                    entry(
                            "feature.page",
                            Set.of(
                                    "api.http",
                                    "api.encode",
                                    "api.server",
                                    "app",
                                    "app.health",
                                    "mirror")),
                    entry("feature.reload", Set.of("app", "app.health", "mirror")),
                    entry("feature.cli", Set.of("app")));

    @Test
    void packages_use_only_what_they_may() {
        ALLOWED.forEach(
                (name, allowed) ->
                        noClasses()
                                .that()
                                .resideInAPackage("io.kubemirror." + name)
                                .should()
                                .dependOnClassesThat(
                                        inPackageOtherThan(
                                                Stream.concat(
                                                                Stream.of(name, "model"),
                                                                allowed.stream())
                                                        .map(other -> "io.kubemirror." + other)
                                                        .toList()))
                                .check(SHIPPED));
    }

    /** A permission that no source needs says something false about the design. */
    @Test
    void packages_use_all_that_they_may() throws IOException {
        Pattern imported =
                Pattern.compile("(?m)^import (?:static )?io\\.kubemirror\\.([a-z.]+)\\.[A-Z]");
        Path root = Path.of("src", "main", "java", "io", "kubemirror");
        Map<String, Set<String>> used = new TreeMap<>();
        ALLOWED.keySet().forEach(name -> used.put(name, new TreeSet<>()));
        try (Stream<Path> files = Files.walk(root)) {
            for (Path file : files.filter(one -> one.toString().endsWith(".java")).toList()) {
                String name =
                        StreamSupport.stream(root.relativize(file.getParent()).spliterator(), false)
                                .map(Path::toString)
                                .collect(Collectors.joining("."));
                imported.matcher(Files.readString(file))
                        .results()
                        .map(other -> other.group(1))
                        .filter(other -> !other.equals("model") && !other.equals(name))
                        .forEach(used.getOrDefault(name, new TreeSet<>())::add);
            }
        }

        assertThat(used).isEqualTo(ALLOWED);
    }

    @Test
    void every_class_is_in_a_known_package() {
        assertThat(SHIPPED)
                .extracting(JavaClass::getPackageName)
                .allMatch(name -> ALLOWED.containsKey(name.substring("io.kubemirror.".length())));
    }

    private static DescribedPredicate<JavaClass> inPackageOtherThan(List<String> allowed) {
        return DescribedPredicate.describe(
                "are in a package other than " + allowed,
                used ->
                        used.getPackageName().startsWith("io.kubemirror")
                                && !allowed.contains(used.getPackageName()));
    }

    @Test
    void packages_are_free_of_cycles() {
        slices().matching("io.kubemirror.(**)").should().beFreeOfCycles().check(SHIPPED);
    }

    @Test
    void core_packages_do_not_depend_on_frameworks() {
        noClasses()
                .that()
                .resideInAnyPackage(
                        "io.kubemirror.model..",
                        "io.kubemirror.source",
                        "io.kubemirror.mirror..",
                        "io.kubemirror.reflector..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "org.springframework..",
                        "jakarta..",
                        "org.eclipse.jetty..",
                        "java.net.http..",
                        "okhttp3..",
                        "io.kubernetes..",
                        "io.micrometer..",
                        "tools.jackson..")
                .check(SHIPPED);
    }

    @Test
    void mirror_package_uses_no_io_and_no_clock() {
        noClasses()
                .that()
                .resideInAPackage("io.kubemirror.mirror..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("java.io..", "java.net..", "java.nio.file..", "org.slf4j..")
                .orShould()
                .callMethod("java.time.Instant", "now")
                .orShould()
                .callMethod("java.lang.System", "currentTimeMillis")
                .orShould()
                .accessTargetWhere(
                        nameMatching("java\\.lang\\.System\\.(nanoTime|currentTimeMillis)\\(.*"))
                .orShould()
                .accessTargetWhere(nameMatching("java\\.time\\..*\\.now\\(.*"))
                .check(SHIPPED);
    }

    @Test
    void class_names_have_no_generic_suffixes() {
        noClasses()
                .should()
                .haveNameMatching(".*(Util|Utils|Helper|Helpers|Manager|Impl)(\\$.*)?")
                .check(SHIPPED);
    }

    @Test
    void classes_do_not_use_field_injection() {
        NO_CLASSES_SHOULD_USE_FIELD_INJECTION.check(SHIPPED);
    }

    @Test
    void static_fields_are_final() {
        noFields().that().areStatic().should().notBeFinal().check(SHIPPED);
    }

    @Test
    void classes_log_through_slf4j_only() {
        NO_CLASSES_SHOULD_USE_JAVA_UTIL_LOGGING.check(SHIPPED);
        // Except for the command line: what commands log goes where their results do not go.
        noClasses()
                .that()
                .doNotHaveFullyQualifiedName(KubeMirrorApplication.class.getName())
                .and()
                .doNotBelongToAnyOf(ConfigurationCommands.class)
                .should(ACCESS_STANDARD_STREAMS)
                .check(SHIPPED);
    }

    @Test
    void every_package_is_null_marked() {
        assertThat(SHIPPED)
                .extracting(JavaClass::getPackage)
                .allMatch(ArchitectureTest::isNullMarked);
    }

    private static DescribedPredicate<JavaAccess<?>> nameMatching(String pattern) {
        return DescribedPredicate.describe(
                "target " + pattern, access -> access.getTarget().getFullName().matches(pattern));
    }

    private static boolean isNullMarked(JavaPackage shipped) {
        return shipped.isAnnotatedWith(NullMarked.class);
    }
}
