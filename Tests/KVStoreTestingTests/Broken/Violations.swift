import KVStoreTesting

/// The rules that a broken store violates.
struct Violations {
    /// Those it violates whenever they are checked.
    let always: [KVContractRule]
    /// Those it violates if threads happen to meet.
    let sometimes: [KVContractRule]

    init(_ always: [KVContractRule], sometimes: [KVContractRule] = []) {
        self.always = always
        self.sometimes = sometimes
    }
}

extension FaultyDomain.Fault {
    /// The rules that a store with the fault violates, and no others.
    var violations: Violations {
        switch self {
        case .none:
            Violations([])
        case .losesUpdates:
            Violations(
                [
                    .conflictingBodyRunsAgain, .conflictingListingRunsAgain,
                    .concurrentChangesComeOnce,
                    .transactionsAreExact, .updatesAreExact, .storesUpdateTogether,
                ],
                sometimes: [.readsAreNeverOlder]
            )
        case .savesWholeDomain:
            Violations(
                [.distinctKeysKeepAll],
                sometimes: [.commitsAreAChain, .storesUpdatingEachOtherEnd]
            )
        case .ignoresListings:
            Violations([.conflictingListingRunsAgain])
        case .showsHalf:
            Violations(
                [.readersNeverSeeHalf],
                sometimes: [.transactionsAreExact, .lastDeliveryIsFinal]
            )
        case .tellsEarly:
            Violations(
                [.handlersAreCalled, .readsAreNeverOlder],
                sometimes: [.lastDeliveryIsFinal]
            )
        case .dropsChanges:
            Violations(
                [
                    .consumersMayWrite, .presentValueThenChanges, .transactionIsOneCommit,
                    .concurrentChangesComeOnce, .everySubscriptionGetsAll, .sequenceGrowsByOne,
                    .commitsAreAChain, .nobodyWaitsForConsumers,
                ],
                sometimes: [.lastDeliveryIsFinal]
            )
        case .repeatsChanges:
            Violations(
                [
                    .consumersMayWrite, .presentValueThenChanges, .transactionIsOneCommit,
                    .concurrentChangesComeOnce, .sequenceGrowsByOne, .commitsAreAChain,
                    .nobodyWaitsForConsumers,
                ],
                sometimes: [.lastDeliveryIsFinal]
            )
        case .tellsOfEqualValues:
            Violations(
                [.sequenceGrowsByOne, .equalValueIsNoChange],
                sometimes: [.commitsAreAChain]
            )
        case .forgetsRemovals:
            Violations([.removeAllReportsEachKey])
        case .splitsCommits:
            Violations([.transactionIsOneCommit, .removeAllReportsEachKey, .sequenceGrowsByOne])
        case .subscribesLate:
            Violations([.lastDeliveryIsFinal])
        case .mistakesOrigin:
            Violations([.storesReportEachOther, .ownCommitsAreOwn])
        case .neverEnds:
            Violations([.subscriptionsEndWithTheLastStore, .subscriptionsEndWithTheStore])
        case .ignoresPolicies:
            Violations([.newestAreKept, .oldestAreKept])
        case .followsSpellings:
            Violations([.spellingsAreObservedAsOne])
        case .admitsNestedWrites:
            Violations([.nestedWriteThroughAnotherStore, .nestedWriteIsRefused])
        case .insistsOnPresentValue:
            Violations([
                .subscriptionsEndWithTheLastStore, .initialCanBeLeftOut, .transactionIsOneCommit,
                .anotherShapeIsAChange, .removeAllReportsEachKey, .subscriptionsEndWithTheStore,
                .sequenceGrowsByOne,
            ])
        case .forgetsOldValues:
            Violations([.transactionIsOneCommit, .removeAllReportsEachKey, .commitsAreAChain])
        case .tellsFoldedNames:
            Violations([.otherKeysStayQuiet, .everyLegalKeyIsObserved])
        case .mergesNames:
            Violations([.impossibleKeysAreAbsent, .severalKeysAreFollowedTogether])
        case .cancelsNeighbours:
            Violations([.cancellingEnds])
        case .locksInBothOrders:
            Violations([.cancellingNeverBlocks])
        case .isBlindInsideBodies:
            Violations([.subscribingInsideABody])
        case .comparesLoosely:
            Violations([.anotherShapeIsAChange, .overwritingReplacesTheWholeValue])
        }
    }
}

extension FaultyBackend.Fault {
    /// The rules that a store with the fault violates, and no others.
    var violations: Violations {
        switch self {
        case .none:
            Violations([])
        case .foldsDots:
            Violations([.dotsArePlain, .legalKeysAreKeys, .keysOutliveTheStore])
        case .nestsDots:
            Violations([
                .dotsArePlain, .everyLegalKeyIsObserved, .legalKeysAreKeys, .keysOutliveTheStore,
            ])
        case .foldsCase:
            Violations([
                .caseCounts, .legalKeysAreKeys, .keysOutliveTheStore, .treesOutliveTheStore,
                .rawTreesAreKept,
            ])
        case .separatesSpellings:
            Violations([.spellingsAreObservedAsOne, .spellingsAreOneKey, .keysOutliveTheStore])
        case .trimsNames:
            Violations([.legalKeysAreKeys, .keysOutliveTheStore])
        case .storesBoolsAsNumbers:
            Violations([
                .anotherShapeIsAChange, .boolsKeepTheirShape, .structsAndEnumsAreLegible,
                .treesOutliveTheStore, .rawTreesAreKept, .valuesOutliveTheStore,
                .savingNeighboursKeepsAll, .equalValueIsNoChange, .overwritingReplacesTheWholeValue,
            ])
        case .storesLargeIntegersAsReals:
            Violations([
                .integersKeepTheirShape, .treesOutliveTheStore, .rawTreesAreKept,
                .valuesOutliveTheStore, .savingNeighboursKeepsAll, .equalValueIsNoChange,
            ])
        case .losesNegativeZero:
            Violations([
                .realsKeepTheirShape, .valuesOutliveTheStore, .savingNeighboursKeepsAll,
                .overwritingReplacesTheWholeValue,
            ])
        case .storesDataAsText:
            Violations([
                .dataKeepsItsShape, .rawTreesAreKept, .treesOutliveTheStore, .valuesOutliveTheStore,
                .savingNeighboursKeepsAll, .overwritingReplacesTheWholeValue, .largeValuesAreKept,
            ])
        case .cutsDates:
            Violations([
                .datesKeepTheirShape, .treesOutliveTheStore, .rawTreesAreKept,
                .valuesOutliveTheStore, .savingNeighboursKeepsAll,
            ])
        case .cutsStringsAtNUL:
            Violations([.stringsKeepTheirShape, .valuesOutliveTheStore, .savingNeighboursKeepsAll])
        case .normalizesStrings:
            Violations([.stringsKeepTheirShape, .valuesOutliveTheStore, .savingNeighboursKeepsAll])
        case .dropsNulls:
            Violations([
                .nilsKeepTheirPlace, .treesOutliveTheStore, .rawTreesAreKept,
                .valuesOutliveTheStore, .savingNeighboursKeepsAll,
            ])
        case .interpretsMarks:
            Violations([
                .collectionsKeepTheirShape, .treesOutliveTheStore, .rawTreesAreKept,
                .valuesOutliveTheStore, .savingNeighboursKeepsAll,
            ])
        case .createsOnReading:
            Violations([
                .conflictingListingRunsAgain, .spellingsAreOneKey, .legalKeysAreKeys, .nilRemoves,
                .readingCreatesNothing, .removeAllRemovesAll, .removalsOutliveTheStore,
            ])
        case .listsForeignKeys:
            Violations([
                .conflictingListingRunsAgain, .failedSubscriptsReport, .spellingsAreOneKey,
                .legalKeysAreKeys, .nilRemoves, .readingCreatesNothing, .removeAllRemovesAll,
                .listingIsExact, .storesShareNothing, .removalsOutliveTheStore,
            ])
        case .losesDataOnReopening:
            Violations([.valuesOutliveTheStore, .savingNeighboursKeepsAll])
        case .mergesDictionaries:
            Violations([.overwritingReplacesTheWholeValue])
        case .cutsLargeValues:
            Violations([.largeValuesAreKept])
        }
    }
}

extension LeakyKVStore.Fault {
    /// The rules that a store with the fault violates, and no others.
    var violations: Violations {
        switch self {
        case .none:
            Violations([])
        case .keepsChangesOfThrowingBodies:
            Violations([
                .throwingBodyChangesNothing, .failedEncodingKeepsTheOldValue,
                .invalidKeysAreRefused, .removeAllRemovesAll, .failuresReportNothing,
            ])
        case .losesOldValues:
            Violations([.tooDeepIsRefused])
        case .storesNull:
            Violations([.undecodableSurvivesChangesInPlace, .nilRemoves])
        case .returnsFirstResult:
            Violations([.conflictingBodyRunsAgain])
        case .locksOthersOut:
            Violations([
                .conflictingBodyRunsAgain, .conflictingListingRunsAgain, .handlersAreCalled,
                .nestedWriteIsRefused, .transactionReadsOneState, .storesUpdatingEachOtherEnd,
            ])
        case .repairsNames:
            Violations([
                .endlessKeysAreQuick, .failedSubscriptsReport, .invalidKeysAreRefused,
                .failuresReportNothing,
            ])
        case .swallowsRefusals:
            Violations([
                .endlessKeysAreQuick, .failedSubscriptsReport, .nestedWriteIsRefused,
                .invalidKeysAreRefused, .tooDeepIsRefused, .failuresReportNothing,
            ])
        case .hidesNulls:
            Violations([.storedNullReadsAsNil, .explicitNilIsKept, .rawTreesAreKept])
        case .healsUndecodable:
            Violations([.undecodableSurvivesUpdates])
        case .hashesEndlessNames:
            Violations([.endlessKeysAreQuick, .impossibleKeysAreAbsent])
        case .hidesItsFeed:
            Violations(KVStoreContract.rules.filter { $0.features == .observes })
        }
    }
}
