package io.kubemirror;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.GeneralCodingRules.ACCESS_STANDARD_STREAMS;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_USE_FIELD_INJECTION;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_USE_JAVA_UTIL_LOGGING;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;

import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/**
 * Enforces the dependencies between packages of the design, and the conventions of the code, for
 * all production classes.
 */
class ArchitectureTest {

    private static final JavaClasses SHIPPED =
            new ClassFileImporter()
                    .withImportOption(new DoNotIncludeTests())
                    .importPackages("io.kubemirror");

    @Test
    void packages_depend_only_on_allowed_packages() {
        layeredArchitecture()
                .consideringOnlyDependenciesInLayers()
                .withOptionalLayers(false)
                .layer("model")
                .definedBy("io.kubemirror.model")
                .layer("memory")
                .definedBy("io.kubemirror.memory")
                .layer("config")
                .definedBy("io.kubemirror.config")
                .layer("upstream")
                .definedBy("io.kubemirror.upstream")
                .layer("upstream.wire")
                .definedBy("io.kubemirror.upstream.wire")
                .layer("upstream.kube")
                .definedBy("io.kubemirror.upstream.kube")
                .layer("upstream.etcd")
                .definedBy("io.kubemirror.upstream.etcd")
                .layer("mirror")
                .definedBy("io.kubemirror.mirror")
                .layer("reflector")
                .definedBy("io.kubemirror.reflector")
                .layer("persistence")
                .definedBy("io.kubemirror.persistence")
                .layer("order")
                .definedBy("io.kubemirror.order")
                .layer("access")
                .definedBy("io.kubemirror.access")
                .layer("api.http")
                .definedBy("io.kubemirror.api.http")
                .layer("api.encode.table")
                .definedBy("io.kubemirror.api.encode.table")
                .layer("api.encode")
                .definedBy("io.kubemirror.api.encode")
                .layer("api.read")
                .definedBy("io.kubemirror.api.read")
                .layer("api.watch")
                .definedBy("io.kubemirror.api.watch")
                .layer("api.proxy")
                .definedBy("io.kubemirror.api.proxy")
                .layer("api.passthrough")
                .definedBy("io.kubemirror.api.passthrough")
                .layer("api.server")
                .definedBy("io.kubemirror.api.server")
                .layer("api")
                .definedBy("io.kubemirror.api")
                .layer("ops")
                .definedBy("io.kubemirror.ops")
                .layer("ops.page")
                .definedBy("io.kubemirror.ops.page")
                .layer("ops.cli")
                .definedBy("io.kubemirror.ops.cli")
                .layer("root")
                .definedBy("io.kubemirror")
                .whereLayer("model")
                .mayNotAccessAnyLayer()
                .whereLayer("memory")
                .mayNotAccessAnyLayer()
                .whereLayer("config")
                .mayOnlyAccessLayers("model")
                .whereLayer("upstream")
                .mayOnlyAccessLayers("model", "memory")
                .whereLayer("upstream.wire")
                .mayOnlyAccessLayers("upstream", "model", "memory")
                .whereLayer("upstream.kube")
                .mayOnlyAccessLayers("upstream.wire", "upstream", "model", "memory")
                .whereLayer("upstream.etcd")
                .mayOnlyAccessLayers("upstream.wire", "upstream", "model", "memory")
                .whereLayer("mirror")
                .mayOnlyAccessLayers("model", "memory")
                .whereLayer("reflector")
                .mayOnlyAccessLayers("mirror", "upstream", "model", "memory")
                .whereLayer("persistence")
                .mayOnlyAccessLayers("mirror", "model", "memory")
                .whereLayer("order")
                .mayOnlyAccessLayers("mirror", "model", "memory")
                .whereLayer("access")
                .mayOnlyAccessLayers("upstream", "model", "memory")
                .whereLayer("api.http")
                .mayOnlyAccessLayers("access", "model", "memory")
                .whereLayer("api.encode.table")
                .mayOnlyAccessLayers("order", "upstream", "model")
                .whereLayer("api.encode")
                .mayOnlyAccessLayers(
                        "api.http",
                        "api.encode.table",
                        "order",
                        "mirror",
                        "upstream",
                        "model",
                        "memory")
                .whereLayer("api.read")
                .mayOnlyAccessLayers(
                        "api.http", "api.encode", "order", "mirror", "upstream", "model", "memory")
                .whereLayer("api.watch")
                .mayOnlyAccessLayers(
                        "api.http",
                        "api.encode",
                        "api.read",
                        "mirror",
                        "upstream",
                        "model",
                        "memory")
                .whereLayer("api.proxy")
                .mayOnlyAccessLayers(
                        "api.http",
                        "api.encode",
                        "api.read",
                        "mirror",
                        "upstream",
                        "model",
                        "memory")
                .whereLayer("api.passthrough")
                .mayOnlyAccessLayers("api.http", "api.read", "upstream", "model", "memory")
                .whereLayer("api.server")
                .mayOnlyAccessLayers(
                        "api.http",
                        "api.encode",
                        "api.read",
                        "api.watch",
                        "api.proxy",
                        "api.passthrough",
                        "access",
                        "mirror",
                        "upstream",
                        "model",
                        "memory")
                .whereLayer("api")
                .mayOnlyAccessLayers(
                        "api.http",
                        "api.encode",
                        "api.encode.table",
                        "api.read",
                        "api.watch",
                        "api.proxy",
                        "api.passthrough",
                        "api.server",
                        "access",
                        "order",
                        "mirror",
                        "upstream",
                        "model",
                        "memory")
                .whereLayer("ops")
                .mayOnlyAccessLayers("mirror", "reflector", "upstream", "model", "memory")
                .whereLayer("ops.page")
                .mayOnlyAccessLayers(
                        "ops", "order", "mirror", "reflector", "upstream", "model", "memory")
                .whereLayer("ops.cli")
                .mayOnlyAccessLayers("ops", "model", "memory")
                .check(SHIPPED);
    }

    @Test
    void packages_are_free_of_cycles() {
        slices().matching("io.kubemirror.(*)..").should().beFreeOfCycles().check(SHIPPED);
        slices().matching("io.kubemirror.(**)").should().beFreeOfCycles().check(SHIPPED);
    }

    @Test
    void every_class_is_in_a_known_package() {
        assertThat(SHIPPED)
                .extracting(JavaClass::getPackageName)
                .containsOnly(
                        "io.kubemirror",
                        "io.kubemirror.config",
                        "io.kubemirror.ops.cli",
                        "io.kubemirror.ops.page",
                        "io.kubemirror.ops",
                        "io.kubemirror.api",
                        "io.kubemirror.api.server",
                        "io.kubemirror.api.passthrough",
                        "io.kubemirror.api.proxy",
                        "io.kubemirror.api.watch",
                        "io.kubemirror.api.read",
                        "io.kubemirror.api.encode",
                        "io.kubemirror.api.encode.table",
                        "io.kubemirror.api.http",
                        "io.kubemirror.access",
                        "io.kubemirror.order",
                        "io.kubemirror.reflector",
                        "io.kubemirror.persistence",
                        "io.kubemirror.mirror",
                        "io.kubemirror.upstream.kube",
                        "io.kubemirror.upstream.etcd",
                        "io.kubemirror.upstream.wire",
                        "io.kubemirror.upstream",
                        "io.kubemirror.memory",
                        "io.kubemirror.model");
    }

    @Test
    void core_packages_do_not_depend_on_frameworks() {
        noClasses()
                .that()
                .resideInAnyPackage(
                        "io.kubemirror.memory..",
                        "io.kubemirror.model..",
                        "io.kubemirror.upstream",
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
