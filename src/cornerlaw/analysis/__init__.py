
from cornerlaw.analysis.linearise import Linearisation, linearise

