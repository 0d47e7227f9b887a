package io.kubemirror.app.config;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.app.BoundProperties;

import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.context.annotation.ClassPathScanningCandidateComponentProvider;
import org.springframework.context.index.CandidateComponentsIndex;
import org.springframework.context.index.CandidateComponentsIndexLoader;
import org.springframework.core.type.filter.AnnotationTypeFilter;

/** Tests that each binding of the configuration has all records, and that one scan finds them. */
class BoundRecordsTest {

    @Test
    void records_are_found_once() {
        BoundProperties.records(Map.of());
        CandidateComponentsIndex index =
                Objects.requireNonNull(
                        CandidateComponentsIndexLoader.loadIndex(BoundRecords.Types.INDEXED));
        String annotation = ConfigurationProperties.class.getName();

        assertThat(index.hasScannedPackage("io.kubemirror")).isTrue();
        assertThat(index.getCandidateTypes("io.kubemirror", annotation)).isEqualTo(scanned());
    }

    private static Set<String> scanned() {
        var scanner = new ClassPathScanningCandidateComponentProvider(false);
        scanner.addIncludeFilter(new AnnotationTypeFilter(ConfigurationProperties.class));
        return scanner.findCandidateComponents("io.kubemirror").stream()
                .map(found -> Objects.requireNonNull(found.getBeanClassName()))
                .collect(Collectors.toSet());
    }
}
