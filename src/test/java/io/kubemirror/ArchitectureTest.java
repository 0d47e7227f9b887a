package io.kubemirror;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.GeneralCodingRules.ACCESS_STANDARD_STREAMS;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_USE_FIELD_INJECTION;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_USE_JAVA_UTIL_LOGGING;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;

import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** The arrows of the design and the habits of the house, for all classes that are shipped. */
class ArchitectureTest {

    private static final JavaClasses SHIPPED =
            new ClassFileImporter()
                    .withImportOption(new DoNotIncludeTests())
                    .importPackages("io.kubemirror");

    @Test
    void packages_depend_on_each_other_as_designed() {
        layeredArchitecture()
                .consideringOnlyDependenciesInLayers()
                .withOptionalLayers(true)
                .layer("root")
                .definedBy("io.kubemirror")
                .layer("web")
                .definedBy("io.kubemirror.web..")
                .layer("ops")
                .definedBy("io.kubemirror.ops..")
                .layer("reflector")
                .definedBy("io.kubemirror.reflector..")
                .layer("mirror")
                .definedBy("io.kubemirror.mirror..")
                .layer("access")
                .definedBy("io.kubemirror.access..")
                .layer("kube")
                .definedBy("io.kubemirror.kube..")
                .layer("model")
                .definedBy("io.kubemirror.model..")
                .layer("memory")
                .definedBy("io.kubemirror.memory..")
                .whereLayer("web")
                .mayOnlyAccessLayers("access", "mirror", "kube", "model", "memory")
                .whereLayer("ops")
                .mayOnlyAccessLayers("mirror", "reflector", "kube", "model", "memory")
                .whereLayer("reflector")
                .mayOnlyAccessLayers("mirror", "kube", "model", "memory")
                .whereLayer("access")
                .mayOnlyAccessLayers("kube", "model", "memory")
                .whereLayer("mirror")
                .mayOnlyAccessLayers("model", "memory")
                .whereLayer("kube")
                .mayOnlyAccessLayers("model", "memory")
                .whereLayer("model")
                .mayNotAccessAnyLayer()
                .whereLayer("memory")
                .mayNotAccessAnyLayer()
                .check(SHIPPED);
    }

    @Test
    void packages_form_no_cycle() {
        slices().matching("io.kubemirror.(*)..").should().beFreeOfCycles().check(SHIPPED);
    }

    @Test
    void every_class_is_in_a_package_of_the_design() {
        assertThat(SHIPPED)
                .extracting(JavaClass::getPackageName)
                .containsOnly(
                        "io.kubemirror",
                        "io.kubemirror.web",
                        "io.kubemirror.web.table",
                        "io.kubemirror.access",
                        "io.kubemirror.ops",
                        "io.kubemirror.reflector",
                        "io.kubemirror.mirror",
                        "io.kubemirror.kube",
                        "io.kubemirror.memory",
                        "io.kubemirror.model");
    }

    @Test
    void the_core_knows_no_framework() {
        noClasses()
                .that()
                .resideInAnyPackage(
                        "io.kubemirror.memory..",
                        "io.kubemirror.model..",
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
    void the_mirror_does_no_io_and_asks_no_clock() {
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
                .check(SHIPPED);
    }

    @Test
    void names_say_what_a_class_is_not_that_it_is_useful() {
        noClasses()
                .should()
                .haveNameMatching(".*(Util|Utils|Helper|Helpers|Manager|Impl)(\\$.*)?")
                .check(SHIPPED);
    }

    @Test
    void dependencies_come_by_constructor() {
        NO_CLASSES_SHOULD_USE_FIELD_INJECTION.check(SHIPPED);
    }

    @Test
    void nothing_static_changes() {
        noFields().that().areStatic().should().notBeFinal().check(SHIPPED);
    }

    @Test
    void the_log_is_slf4j() {
        NO_CLASSES_SHOULD_USE_JAVA_UTIL_LOGGING.check(SHIPPED);
        // But for the command line, whose main class prints what a command tells.
        noClasses()
                .that()
                .doNotHaveFullyQualifiedName(KubeMirrorApplication.class.getName())
                .should(ACCESS_STANDARD_STREAMS)
                .check(SHIPPED);
    }

    @Test
    void null_is_checked_in_every_package() {
        assertThat(SHIPPED)
                .extracting(JavaClass::getPackage)
                .allMatch(ArchitectureTest::isNullMarked);
    }

    private static boolean isNullMarked(JavaPackage shipped) {
        return shipped.isAnnotatedWith(NullMarked.class);
    }
}
