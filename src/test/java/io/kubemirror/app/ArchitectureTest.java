package io.kubemirror.app;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static com.tngtech.archunit.library.GeneralCodingRules.ACCESS_STANDARD_STREAMS;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_USE_FIELD_INJECTION;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_USE_JAVA_UTIL_LOGGING;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;

import io.kubemirror.testing.Unchecked;

import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Enforces the dependencies between packages of the design, and the conventions of the code, for
 * all production classes.
 */
class ArchitectureTest {

    private static final JavaClasses SHIPPED =
            new ClassFileImporter()
                    .withImportOption(new DoNotIncludeTests())
                    // What Spring generates for the image stays in the folder of a build.
                    .withImportOption(location -> !location.contains("__"))
                    .importPackages("io.kubemirror");

    /** What each package may use besides {@code model}, by the table of the design page. */
    private static final Map<String, Set<String>> ALLOWED = allowed();

    private static Map<String, Set<String>> allowed() {
        return Unchecked.call(
                () ->
                        Pattern.compile("(?m)^\\| `([a-z.]+)` \\| .* \\|([^|]*)\\|$")
                                .matcher(Files.readString(Path.of("src", "docs", "design.md")))
                                .results()
                                .collect(
                                        Collectors.toMap(
                                                row -> row.group(1), row -> named(row.group(2)))));
    }

    private static Set<String> named(String cell) {
        return Pattern.compile("`([a-z.]+)`")
                .matcher(cell)
                .results()
                .map(name -> name.group(1))
                .collect(Collectors.toSet());
    }

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
        // Except for the command line.
        noClasses()
                .that()
                .doNotHaveFullyQualifiedName(KubeMirrorApplication.class.getName())
                .and()
                .doNotHaveFullyQualifiedName(Main.class.getName())
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

    private static final Pattern IMPORT =
            Pattern.compile(
                    "^import (?:static )?io\\.kubemirror\\.feature\\.(\\w+)", Pattern.MULTILINE);

    /**
     * Tests of the rest that need properties of a feature start the application in its folder, but
     * for those of several features at once in {@code pairs}, so that {@code rm -r} of the folders
     * of a feature leaves what compiles.
     */
    @ParameterizedTest
    @ValueSource(strings = {"src/main/java", "src/test/java", "src/stress/java"})
    void only_a_feature_itself_imports_it(String sources) throws IOException {
        Set<String> foreign = new TreeSet<>();
        try (Stream<Path> files = Files.walk(Path.of(sources))) {
            files.filter(file -> file.toString().endsWith(".java"))
                    .forEach(file -> addForeign(file, foreign));
        }

        assertThat(foreign).isEmpty();
    }

    private static void addForeign(Path file, Set<String> foreign) {
        Unchecked.run(
                () ->
                        IMPORT.matcher(Files.readString(file))
                                .results()
                                .map(name -> name.group(1))
                                .filter(
                                        feature ->
                                                !file.toString()
                                                        .contains("/feature/" + feature + "/"))
                                .forEach(feature -> foreign.add(file + " imports " + feature)));
    }
}
